import { ENTITIES } from '../../../../domain/entities.ts';
import { startSession } from '../../../../domain/identity/session.repository.ts';
import { sumNextProduct } from '../../../../domain/usage/history/usage-sums.repository.ts';
import { openDatabase } from '../../../../platform/database/database.ts';
import { personIdOf } from '../../data/people.ts';
import { clearMonths, loadMonth } from '../../data/usage.ts';
import type { Figure } from '../../figure.ts';
import { median } from '../../measure/statistics.ts';
import type { Stage } from '../../stage.ts';

const PEOPLE = 100_000;
const DAYS = 10;
const ROUNDS = 5;
const PAGES = 40;

export const u4: Figure = {
  id: 'U4',
  what: 'usage page of a product with 1,000,000 qualified days in the month, p50 ms',
  bounds: { must: 60, stretch: 25, better: 'lower' },
  isByNameOnly: true,
  async measure(stage) {
    await stage.data.storefront();
    await loadMonth(stage.pool, { people: PEOPLE, days: DAYS, product: 0 });
    const { databaseUrl: url } = stage;
    const database = await openDatabase({ url, listenUrl: url, name: 'bench', entities: ENTITIES });
    const startedAt = performance.now();
    let isAnyLeft: boolean;
    do isAnyLeft = (await sumNextProduct(database)) !== null;
    while (isAnyLeft);
    const seconds = (performance.now() - startedAt) / 1_000;
    stage.say(`  the days that are over were summed in ${seconds.toFixed(1)} s`);
    const session = { personId: personIdOf(1), device: 'Bench' };
    const cookie = `gatehouse_session=${await startSession(database.em(), session)}`;
    await database.close();
    const rounds = await timePages(stage, cookie);
    await clearMonths(stage.pool);
    return rounds;
  },
};

/** Medians of rounds, one page after the other; a first round warms up. */
async function timePages(stage: Stage, cookie: string): Promise<number[]> {
  const [api] = await stage.servers.get('api');
  const rounds: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const times: number[] = [];
    for (let page = 0; page < PAGES; page += 1) {
      const startedAt = performance.now();
      const answer = await fetch(`${api!.origin}/console/products/product-0/usage`, {
        headers: { cookie },
        redirect: 'manual',
      });
      const shown = await answer.text();
      times.push(performance.now() - startedAt);
      if (!shown.includes('data-days')) throw new Error(`the page was answered ${answer.status}`);
    }
    if (round > 0) rounds.push(median(times));
  }
  return rounds;
}
