import { setTimeout as pause } from 'node:timers/promises';
import type { Figure } from '../../figure.ts';
import { clearDeliveries, makeEndpoints } from '../../data/deliveries.ts';
import type { Stage } from '../../stage.ts';
import { percentile, ratios } from '../../measure/statistics.ts';
import { measureStream } from '../../stream.ts';

const ENDPOINTS = 100;
const PER_S = 200;
const ROUND_MS = 12_000;
const ROUNDS = 5;
const HANGS_MS = 10_000;

export const p15: Figure = {
  id: 'P15',
  what: '100 endpoints, one hangs 10 s and gets 20 % of 200 events/s: p95 of the others / without it',
  bounds: { must: 2, stretch: 1.2, better: 'lower' },
  async measure(stage) {
    const [receiver] = await stage.servers.get('receiver');
    await stage.servers.get('worker');
    const { origin } = receiver!;
    const endpointIds = await makeEndpoints(stage, { count: ENDPOINTS, url: origin });
    const given = { endpointIds, origin };
    const measured: number[] = [];
    const reference: number[] = [];
    await measureP95(stage, { ...given, isHanging: false }); // warms up
    for (let round = 1; round <= ROUNDS; round += 1) {
      const without = await measureP95(stage, { ...given, isHanging: false });
      const hanging = await measureP95(stage, { ...given, isHanging: true });
      measured.push(hanging);
      reference.push(without);
      stage.say(`  round ${round}, p95 ${hanging.toFixed(1)} ms, without ${without.toFixed(1)} ms`);
    }
    return ratios(measured, reference);
  },
};

type Given = { endpointIds: string[]; origin: string; isHanging: boolean };

async function measureP95(stage: Stage, given: Given): Promise<number> {
  const { endpointIds, origin: receiver, isHanging } = given;
  const hanging = endpointIds.at(-1)!;
  const healthy = endpointIds.slice(0, -1);
  await fetch(`${receiver}/control${isHanging ? '?hang' : ''}`);
  const latencies = await measureStream(stage, {
    perS: PER_S,
    durationMs: ROUND_MS,
    endpointOf: (n) => (n % 5 === 0 ? hanging : healthy[n % healthy.length]!),
    receiver,
    isHanging,
  });
  const sorted = latencies
    .filter(({ endpointId }) => endpointId !== hanging)
    .map(({ ms }) => ms)
    .toSorted((one, two) => one - two);
  await stage.pool.query(`update delivery_state set status = 'cancelled' where status = 'pending'`);
  if (isHanging) await pause(HANGS_MS);
  await clearDeliveries(stage.pool);
  return percentile(sorted, 95);
}
