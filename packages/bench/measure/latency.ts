import { clearDeliveries, makeEndpoints } from '../data/deliveries.ts';
import type { Stage } from '../stage.ts';
import { percentile } from './statistics.ts';
import { measureStream } from '../stream.ts';

type Round = { p50Ms: number; p99Ms: number };

const ENDPOINTS = 20;
const PER_S = 20;
const ROUND_MS = 10_000;
const ROUNDS = 5;

let measured: Promise<Round[]> | undefined;

/** Measures from the commit of an event to its receiver, 20 events a second, once for both figures. */
export function measureLatency(stage: Stage): Promise<Round[]> {
  return (measured ??= run(stage));
}

async function run(stage: Stage): Promise<Round[]> {
  const [receiver] = await stage.servers.get('receiver');
  await stage.servers.get('worker');
  const { origin } = receiver!;
  const endpointIds = await makeEndpoints(stage, { count: ENDPOINTS, url: origin });
  const rounds: Round[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const latencies = await measureStream(stage, {
      perS: PER_S,
      durationMs: ROUND_MS,
      endpointOf: (n) => endpointIds[n % ENDPOINTS]!,
      receiver: origin,
    });
    const sorted = latencies.map(({ ms }) => ms).toSorted((one, two) => one - two);
    const [p50Ms, p99Ms] = [percentile(sorted, 50), percentile(sorted, 99)];
    if (round === 0) continue;
    rounds.push({ p50Ms, p99Ms });
    stage.say(`  round ${round}, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`);
  }
  await clearDeliveries(stage.pool);
  return rounds;
}
