import { setTimeout as delay } from 'node:timers/promises';
import type { Child } from './children.ts';
import type { Launch } from './launch.ts';
import { StartFailure } from './run.ts';

/** Settles once the process is ready; an early death or a slow start is a StartFailure. */
type Start = () => Promise<Child>;

/** Doubled with each quick death: what the process left behind may need a moment to go. */
const PAUSE_MS = 500;
const QUICK_DEATH_MS = 60_000;
const QUICK_DEATHS = 3;

/**
 * Starts a process, waits until it is ready, and starts it again whenever it dies: nothing is lost
 * with it. One that has died more often than another start could mend fails the launch.
 */
export async function keepRunning(
  { signal, fail }: Pick<Launch, 'signal' | 'fail'>,
  name: string,
  start: Start,
): Promise<void> {
  const running = start();
  await running;
  console.log(`${name} is ready`);
  startAgain(running, { name, start, signal }).catch(fail);
}

async function startAgain(
  running: Promise<Child>,
  { name, start, signal }: { name: string; start: Start; signal: AbortSignal },
): Promise<void> {
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
