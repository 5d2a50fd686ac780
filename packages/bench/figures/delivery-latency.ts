// How long events take from their commit to the receiver, also beside endpoints that hang or are slow.
import { setTimeout as pause } from 'node:timers/promises';
import {
  clearDeliveries,
  makeDeliveries,
  makeEndpoints,
  notify,
  shareOwners,
} from '../data/deliveries.ts';
import type { Measurement } from '../figure.ts';
import { compareSides, inRounds } from '../measure/rounds.ts';
import { percentile } from '../measure/statistics.ts';
import type { Stage } from '../stage.ts';
import { measureStream, type Latency } from '../stream.ts';
import { figures } from './table.ts';

const WARMING_MS = 3_000;

const percentileOf = (latencies: readonly Latency[], percent: number) =>
  percentile(
    latencies.map(({ ms }) => ms),
    percent,
  );

/** Endpoints at the receiver, and the worker that delivers to them. */
async function startDelivering(stage: Stage, count: number) {
  const { origin: receiver } = await stage.servers.get('receiver');
  const endpointIds = await makeEndpoints(stage, { count, url: receiver });
  await stage.servers.get('worker');
  return { endpointIds, receiver };
}

export const deliveryLatency: Measurement = {
  figures: figures('P16', 'P16-P99'),
  measure: (stage) =>
    inRounds(stage, async () => {
      const { endpointIds, receiver } = await startDelivering(stage, 20);
      const endpointOf = (n: number) => endpointIds[n % endpointIds.length]!;
      const stream = { perS: 20, endpointOf, receiver };
      await measureStream(stage, { ...stream, durationMs: WARMING_MS });
      const latencies = await measureStream(stage, { ...stream, durationMs: 10_000 });
      return { P16: percentileOf(latencies, 50), 'P16-P99': percentileOf(latencies, 99) };
    }),
};

const SLOW_ENDPOINTS = 80;
const SLOW_DELIVERIES = 1_200;

export const slowEndpoints: Measurement = {
  figures: figures('P20'),
  measure: (stage) => inRounds(stage, async () => ({ P20: await measureBesideSlow(stage) })),
};

async function measureBesideSlow(stage: Stage): Promise<number> {
  const { pool } = stage;
  const { endpointIds, receiver } = await startDelivering(stage, SLOW_ENDPOINTS + 1);
  const other = endpointIds.at(-1)!;
  const slow = endpointIds.slice(0, -1);
  await shareOwners(pool, [slow]);
  const sql = `update webhook_endpoint set url = $1 || '/slow' where id = any($2)`;
  await pool.query(sql, [receiver, slow]);
  const slowOnes = Array.from({ length: SLOW_DELIVERIES }, (_, n) => slow[n % slow.length]!);
  await makeDeliveries(pool, slowOnes);
  await notify(pool, 'gatehouse_delivery');
  const stream = { perS: 5, durationMs: 20_000, endpointOf: () => other, receiver };
  return percentileOf(await measureStream(stage, stream), 95);
}

const HANGS_MS = 10_000;

export const hangingEndpoint: Measurement = {
  figures: figures('P15'),
  async measure(stage) {
    const rounds = await compareSides(stage, async () => {
      const stream = await startDelivering(stage, 100);
      const toSide = (isHanging: boolean) => ({
        warmUp: () => measureP95(stage, { ...stream, durationMs: WARMING_MS, isHanging: false }),
        async measure() {
          const p95 = await measureP95(stage, { ...stream, durationMs: 12_000, isHanging });
          stage.say(`    ${isHanging ? 'one hangs' : 'none hangs'}: p95 ${p95.toFixed(1)} ms`);
          return p95;
        },
      });
      return { hanging: toSide(true), without: toSide(false) };
    });
    return rounds.map(({ hanging, without }) => ({ P15: hanging / without }));
  },
};

type Stream = { endpointIds: string[]; receiver: string; durationMs: number; isHanging: boolean };

/** Measures all endpoints but the one that may hang, which gets a fifth of the events. */
async function measureP95(stage: Stage, { endpointIds, ...stream }: Stream): Promise<number> {
  const hanging = endpointIds.at(-1)!;
  const healthy = endpointIds.slice(0, -1);
  const latencies = await measureStream(stage, {
    ...stream,
    perS: 200,
    endpointOf: (n) => (n % 5 === 0 ? hanging : healthy[n % healthy.length]!),
  });
  await stage.pool.query(`update delivery_state set status = 'cancelled' where status = 'pending'`);
  if (stream.isHanging) await pause(HANGS_MS);
  await clearDeliveries(stage.pool);
  return percentileOf(
    latencies.filter(({ endpointId }) => endpointId !== hanging),
    95,
  );
}
