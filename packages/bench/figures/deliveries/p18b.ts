import { ENTITIES } from '../../../../domain/entities.ts';
import { openDatabase } from '../../../../platform/database/database.ts';
import { startSession } from '../../../../domain/identity/session.repository.ts';
import { clearDeliveries, growDeliveries, makeEndpoints } from '../../data/deliveries.ts';
import { personIdOf } from '../../data/people.ts';
import type { Figure } from '../../figure.ts';
import type { Stage } from '../../stage.ts';
import { median } from '../../measure/statistics.ts';

const FEW = 10_000;
const MANY = 10_000_000;
const ENDPOINTS = 500;
const ROUNDS = 5;
const PAGES = 100;

export const p18b: Figure = {
  id: 'P18B',
  what: 'delivery list page at 10,000,000 deliveries / at 10,000',
  bounds: { must: 1.5, stretch: 1.1, better: 'lower' },
  isByNameOnly: true,
  async measure(stage) {
    await stage.data.storefront();
    await makeEndpoints(stage, { count: ENDPOINTS, url: 'http://127.0.0.1:1' });
    const cookie = `gatehouse_session=${await signIn(stage)}`;
    await growDeliveries(stage, { from: 0, to: FEW });
    const few = await timePages(stage, cookie);
    await growDeliveries(stage, { from: FEW, to: MANY });
    const many = await timePages(stage, cookie);
    stage.say(`  ${median(few).toFixed(2)} ms, grown ${median(many).toFixed(2)} ms`);
    await clearDeliveries(stage.pool);
    return many.map((ms) => ms / median(few));
  },
};

/** The owner of the first product. */
async function signIn({ databaseUrl: url }: Stage): Promise<string> {
  const database = await openDatabase({ url, listenUrl: url, name: 'bench', entities: ENTITIES });
  const session = { personId: personIdOf(1), device: 'Bench' };
  const token = await startSession(database.em(), session);
  await database.close();
  return token;
}

/** Medians of rounds, one page after the other; a first round warms up. */
async function timePages(stage: Stage, cookie: string): Promise<number[]> {
  const [api] = await stage.servers.get('api');
  const rounds: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const times: number[] = [];
    for (let page = 0; page < PAGES; page += 1) {
      const startedAt = performance.now();
      const answer = await fetch(`${api!.origin}/console/products/product-0/deliveries`, {
        headers: { cookie },
        redirect: 'manual',
      });
      const shown = await answer.text();
      times.push(performance.now() - startedAt);
      if (!shown.includes('evt_')) throw new Error(`the page was answered ${answer.status}`);
    }
    if (round > 0) rounds.push(median(times));
  }
  return rounds;
}
