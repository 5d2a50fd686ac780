import { setTimeout as pause } from 'node:timers/promises';
import { clearDeliveries, makeEndpoints } from '../data/deliveries.ts';
import type { Measurement } from '../figure.ts';
import { compareSides } from '../measure/rounds.ts';
import { percentile } from '../measure/statistics.ts';
import type { Stage } from '../stage.ts';
import { measureStream } from '../stream.ts';

const ENDPOINTS = 100;
const PER_S = 200;
const STREAM_MS = 12_000;
const WARMING_MS = 3_000;
const HANGS_MS = 10_000;

export const hangingEndpoint: Measurement = {
  figures: [
    {
      id: 'P15',
      what: '100 endpoints, one hangs 10 s and gets 20 % of 200 events/s: p95 of the others / without it',
      bounds: { must: 2, stretch: 1.2, better: 'lower' },
    },
  ],
  async measure(stage) {
    const rounds = await compareSides(stage, async () => {
      const stream = await startStream(stage);
      const toSide = (isHanging: boolean) => ({
        warmUp: () => measureP95(stage, { ...stream, durationMs: WARMING_MS, isHanging: false }),
        async measure() {
          const p95 = await measureP95(stage, { ...stream, durationMs: STREAM_MS, isHanging });
          stage.say(`    ${isHanging ? 'one hangs' : 'none hangs'}: p95 ${p95.toFixed(1)} ms`);
          return p95;
        },
      });
      return { hanging: toSide(true), without: toSide(false) };
    });
    return rounds.map(({ hanging, without }) => ({ P15: hanging / without }));
  },
};

type Stream = { endpointIds: string[]; receiver: string };

async function startStream(stage: Stage): Promise<Stream> {
  const [receiver] = await stage.servers.get('receiver');
  const { origin } = receiver!;
  const endpointIds = await makeEndpoints(stage, { count: ENDPOINTS, url: origin });
  await stage.servers.get('worker');
  return { endpointIds, receiver: origin };
}

async function measureP95(
  stage: Stage,
  { endpointIds, ...stream }: Stream & { durationMs: number; isHanging: boolean },
): Promise<number> {
  const hanging = endpointIds.at(-1)!;
  const healthy = endpointIds.slice(0, -1);
  const latencies = await measureStream(stage, {
    ...stream,
    perS: PER_S,
    endpointOf: (n) => (n % 5 === 0 ? hanging : healthy[n % healthy.length]!),
  });
  await stage.pool.query(`update delivery_state set status = 'cancelled' where status = 'pending'`);
  if (stream.isHanging) await pause(HANGS_MS);
  await clearDeliveries(stage.pool);
  return percentile(
    latencies.filter(({ endpointId }) => endpointId !== hanging).map(({ ms }) => ms),
    95,
  );
}
