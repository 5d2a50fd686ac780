import { setTimeout as delay } from 'node:timers/promises';
import type { Child } from './children.ts';
import { StartFailure } from './run.ts';

type Kept = {
  name: string;
  /** Settles once the process is ready; an early death or a slow start is a StartFailure. */
  start(): Promise<Child>;
  signal: AbortSignal;
  /** Called when a process has died more often than another start could mend. */
  onLost: (error: unknown) => void;
};

/** Doubled with each quick death: what the process left behind may need a moment to go. */
const PAUSE_MS = 500;
const QUICK_DEATH_MS = 60_000;
const QUICK_DEATHS = 3;

/** Starts a process, waits until it is ready, and starts it again whenever it dies. */
export async function keepRunning(kept: Kept): Promise<void> {
  const first = await kept.start();
  console.log(`${kept.name} is ready`);
  startAgain(kept, first).catch(kept.onLost);
}

async function startAgain({ name, start, signal }: Kept, first: Child): Promise<void> {
  let running = Promise.resolve(first);
  for (let quickDeaths = 0; ;) {
    const { report, livedMs } = await running.then(outlive, neverReady);
    if (signal.aborted) return;
    quickDeaths = livedMs < QUICK_DEATH_MS ? quickDeaths + 1 : 0;
    if (quickDeaths > QUICK_DEATHS) throw new StartFailure(report);
    console.log(`${report}\nStarting it again.`);
    await delay(PAUSE_MS * 2 ** quickDeaths, undefined, { signal });
    running = start();
    running.then(
      () => console.log(`${name} is ready again`),
      () => undefined, // the next round reports it
    );
  }
}

async function outlive(child: Child) {
  const readyAt = performance.now();
  const how = await child.ended;
  const report = `The ${child.name} process died (${how}). Its last lines:\n${child.lastLines()}`;
  return { report, livedMs: performance.now() - readyAt };
}

const neverReady = (error: Error) => ({ report: error.message, livedMs: 0 });
