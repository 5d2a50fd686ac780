import { setTimeout as delay } from 'node:timers/promises';
import type { Child } from './children.ts';
import { StartFailure } from './failure.ts';

type Kept = {
  name: string;
  /** Settles once it is ready; what died before that, or took too long, is a StartFailure. */
  start(): Promise<Child>;
  signal: AbortSignal;
  announce: (line: string) => void;
  /** It has died more often than another start could mend. */
  onLost: (error: unknown) => void;
};

/** Doubled with each quick death: what it left behind may need a moment to go. */
const PAUSE_MS = 500;
const QUICK_DEATH_MS = 60_000;
const QUICK_DEATHS = 3;

/** Starts a process, waits until it is ready, and starts it again when it dies. */
export async function keepRunning(kept: Kept): Promise<void> {
  const child = await kept.start();
  kept.announce(`${kept.name} is ready`);
  watch(kept, child).catch(kept.onLost);
}

async function watch({ name, start, signal, announce }: Kept, first: Child): Promise<void> {
  let running = Promise.resolve(first);
  for (let quickDeaths = 0; ;) {
    const { report, livedMs } = await outlive(running);
    if (signal.aborted) return;
    quickDeaths = livedMs < QUICK_DEATH_MS ? quickDeaths + 1 : 0;
    if (quickDeaths > QUICK_DEATHS) throw new StartFailure(report);
    announce(`${report}\nStarting it again.`);
    running = delay(PAUSE_MS * 2 ** quickDeaths, undefined, { signal }).then(start);
    running.then(
      () => announce(`${name} is ready again`),
      () => undefined, // the next round tells
    );
  }
}

/** Waits until it has died; one that was never ready has not lived. */
async function outlive(running: Promise<Child>): Promise<{ report: string; livedMs: number }> {
  try {
    const child = await running;
    const readyAt = performance.now();
    const how = await child.ended;
    const report = `The ${child.name} process died (${how}). Its last lines:\n${child.lastLines()}`;
    return { report, livedMs: performance.now() - readyAt };
  } catch (error) {
    return { report: (error as Error).message, livedMs: 0 };
  }
}
