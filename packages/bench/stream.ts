// A stream of events at a steady rate, and how long each took from its commit to the receiver.
import { setTimeout as pause } from 'node:timers/promises';
import { makeDeliveries, notify } from './data/deliveries.ts';
import type { Stage } from './stage.ts';

type Stream = {
  perS: number;
  durationMs: number;
  /** The endpoint of the n-th event. */
  endpointOf(n: number): string;
  receiver: string;
  /** Whether the receiver answers nothing at `/hang`. */
  isHanging?: boolean;
};

export type Latency = { endpointId: string; ms: number };

const LAST_MS = 1_500;

/** An event that has not come when the stream is over counts with the time that it has been waiting. */
export async function measureStream(stage: Stage, stream: Stream): Promise<Latency[]> {
  const { pool } = stage;
  const { perS, durationMs, endpointOf, receiver, isHanging = false } = stream;
  const committed = new Map<string, { endpointId: string; at: number }>();
  const hits = new Map<string, number>();
  const collect = async () => {
    const response = await fetch(`${receiver}/control${isHanging ? '?hang' : ''}`);
    for (const [id, at] of (await response.json()) as [string, number][]) {
      if (!hits.has(id)) hits.set(id, at);
    }
  };
  await collect();
  const startedAt = performance.now();
  const work: Promise<void>[] = [];
  for (let n = 0; n < (perS * durationMs) / 1_000; n += 1) {
    const waitMs = startedAt + (n * 1_000) / perS - performance.now();
    if (waitMs > 0) await pause(waitMs);
    const make = async () => {
      const [made] = await makeDeliveries(pool, [endpointOf(n)]);
      committed.set(made!.id, { endpointId: made!.endpointId, at: now() });
      await notify(pool, 'gatehouse_delivery');
    };
    work.push(make());
  }
  await Promise.all(work);
  await pause(LAST_MS);
  await collect();
  const end = now();
  return [...committed].map(([id, { endpointId, at }]) => ({
    endpointId,
    ms: Math.max(0, (hits.get(id) ?? end) - at),
  }));
}

/** What all processes of the machine agree on. */
function now(): number {
  return performance.timeOrigin + performance.now();
}
