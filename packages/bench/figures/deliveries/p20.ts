import { setTimeout as pause } from 'node:timers/promises';
import * as data from '../../data/deliveries.ts';
import type { Figure } from '../../figure.ts';
import type { Stage } from '../../stage.ts';
import { percentile } from '../../measure/statistics.ts';
import { measureStream } from '../../stream.ts';

const SLOW_ENDPOINTS = 80;
const SLOW_DELIVERIES = 1_200;
const PER_S = 5;
const ROUND_MS = 20_000;
const ROUNDS = 3;
const LAST_ANSWER_MS = 10_000;

export const p20: Figure = {
  id: 'P20',
  what: "80 endpoints of one owner answer after 9.5 s, 1,200 deliveries: another's first attempt, p95 ms",
  bounds: { must: 1_000, stretch: 100, better: 'lower' },
  async measure(stage) {
    const { pool } = stage;
    const [receiver] = await stage.servers.get('receiver');
    await stage.servers.get('worker');
    const { origin } = receiver!;
    const endpointIds = await data.makeEndpoints(stage, { count: SLOW_ENDPOINTS + 1, url: origin });
    const other = endpointIds.at(-1)!;
    const slow = endpointIds.slice(0, -1);
    await data.shareOwners(pool, [slow]);
    await pool.query(`update webhook_endpoint set url = $1 || '/slow' where id = any($2)`, [
      origin,
      slow,
    ]);
    const rounds: number[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const p95 = await measureP95(stage, { slow, other, origin });
      rounds.push(p95);
      stage.say(`  round ${round}, p95 ${p95.toFixed(1)} ms`);
    }
    await data.shareOwners(pool, []);
    return rounds;
  },
};

type Given = { slow: string[]; other: string; origin: string };

async function measureP95(stage: Stage, { slow, other, origin }: Given): Promise<number> {
  const { pool } = stage;
  const slowOnes = Array.from({ length: SLOW_DELIVERIES }, (_, n) => slow[n % slow.length]!);
  await data.makeDeliveries(pool, slowOnes);
  await data.notify(pool, 'gatehouse_delivery');
  const latencies = await measureStream(stage, {
    perS: PER_S,
    durationMs: ROUND_MS,
    endpointOf: () => other,
    receiver: origin,
  });
  await pool.query(`update delivery_state set status = 'cancelled' where status = 'pending'`);
  await pause(LAST_ANSWER_MS);
  await data.clearDeliveries(pool);
  return percentile(
    latencies.map(({ ms }) => ms).toSorted((one, another) => one - another),
    95,
  );
}
