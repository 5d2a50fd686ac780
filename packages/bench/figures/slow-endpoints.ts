import * as data from '../data/deliveries.ts';
import type { Measurement } from '../figure.ts';
import { inRounds } from '../measure/rounds.ts';
import { percentile } from '../measure/statistics.ts';
import type { Stage } from '../stage.ts';
import { measureStream } from '../stream.ts';

const SLOW_ENDPOINTS = 80;
const SLOW_DELIVERIES = 1_200;
const PER_S = 5;
const STREAM_MS = 20_000;

export const slowEndpoints: Measurement = {
  figures: [
    {
      id: 'P20',
      what: "80 endpoints of one owner answer after 9.5 s, 1,200 deliveries: another's first attempt, p95 ms",
      bounds: { must: 1_000, stretch: 100, better: 'lower' },
    },
  ],
  measure: (stage) => inRounds(stage, async () => ({ P20: await measureP95(stage) })),
};

async function measureP95(stage: Stage): Promise<number> {
  const { pool } = stage;
  const [receiver] = await stage.servers.get('receiver');
  const { origin } = receiver!;
  const endpointIds = await data.makeEndpoints(stage, { count: SLOW_ENDPOINTS + 1, url: origin });
  const other = endpointIds.at(-1)!;
  const slow = endpointIds.slice(0, -1);
  await data.shareOwners(pool, [slow]);
  await pool.query(`update webhook_endpoint set url = $1 || '/slow' where id = any($2)`, [
    origin,
    slow,
  ]);
  await stage.servers.get('worker');
  const slowOnes = Array.from({ length: SLOW_DELIVERIES }, (_, n) => slow[n % slow.length]!);
  await data.makeDeliveries(pool, slowOnes);
  await data.notify(pool, 'gatehouse_delivery');
  const latencies = await measureStream(stage, {
    perS: PER_S,
    durationMs: STREAM_MS,
    endpointOf: () => other,
    receiver: origin,
  });
  return percentile(
    latencies.map(({ ms }) => ms),
    95,
  );
}
