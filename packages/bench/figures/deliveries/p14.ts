import { MOST_ENDPOINTS_OF_ONE_OWNER } from '../../../../domain/catalog/owner.repository.ts';
import type { Figure } from '../../figure.ts';
import * as data from '../../data/deliveries.ts';
import { databaseTime, fetchSeconds, untilRecorded } from '../../recorded.ts';
import type { Stage } from '../../stage.ts';
import { ratios } from '../../measure/statistics.ts';

const MOST_OF_ONE = MOST_ENDPOINTS_OF_ONE_OWNER;
const ENDPOINTS = 2 * MOST_OF_ONE;
const COUNT = 20_000;
const ROUNDS = 9;

export const p14: Figure = {
  id: 'P14',
  what: 'webhook first attempts, event row to recorded 2xx, 200 endpoints of two owners / bare undici, deliveries/s',
  bounds: { must: 0.35, stretch: 0.55, better: 'higher' },
  async measure(stage) {
    const [receiver] = await stage.servers.get('receiver');
    const [sender] = await stage.servers.get('sender');
    await stage.servers.get('worker');
    const { origin } = receiver!;
    const endpointIds = await data.makeEndpoints(stage, { count: ENDPOINTS, url: origin });
    const shared = [endpointIds.slice(0, MOST_OF_ONE), endpointIds.slice(MOST_OF_ONE)];
    await data.shareOwners(stage.pool, shared);
    const measured: number[] = [];
    const reference: number[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const bare = await sendBare(stage, { sender: sender!.origin, url: `${origin}/bare` });
      const ours = await dispatch(stage, endpointIds);
      await fetch(`${origin}/control`);
      if (round === 0) continue;
      measured.push(ours);
      reference.push(bare);
      stage.say(`  round ${round}, ${Math.round(ours)}/s, bare ${Math.round(bare)}/s`);
    }
    await data.clearDeliveries(stage.pool);
    await data.shareOwners(stage.pool, []);
    return ratios(measured, reference);
  },
};

async function dispatch(stage: Stage, endpointIds: string[]): Promise<number> {
  const { pool } = stage;
  await data.clearDeliveries(pool);
  const targets = Array.from({ length: COUNT }, (_, n) => endpointIds[n % endpointIds.length]!);
  await data.makeDeliveries(pool, targets);
  const since = await databaseTime(stage);
  await data.notify(pool, 'gatehouse_delivery');
  return COUNT / (await untilRecorded(stage, { count: COUNT, since }));
}

async function sendBare({ pool }: Stage, to: { sender: string; url: string }): Promise<number> {
  const { rows } = await pool.query<{ body: string }>(
    `select convert_from(body, 'utf8') as body from delivery limit 1`,
  );
  const body = rows[0]?.body ?? '{}'.padEnd(330);
  const asked = new URLSearchParams({ url: to.url, body, count: String(COUNT) });
  return COUNT / (await fetchSeconds(`${to.sender}/?${asked}`));
}
