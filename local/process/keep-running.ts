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
  onLost: (fault: StartFailure) => void;
};

export type KeptRunning = { stop(): Promise<void> };

const PAUSE_MS = 500;
const QUICK_DEATH_MS = 60_000;
const QUICK_DEATHS = 3;

/** Starts a process, waits until it is ready, and starts it again when it dies. */
export async function keepRunning({ name, start, ...kept }: Kept): Promise<KeptRunning> {
  const { signal, announce, onLost } = kept;
  let isWanted = true;
  let running = start();
  const watch = async () => {
    for (let quickDeaths = 0; ;) {
      const startedAt = performance.now();
      const report = await running.then(describeEnd, (fault: unknown) => (fault as Error).message);
      if (!isWanted || signal.aborted) return;
      quickDeaths = performance.now() - startedAt < QUICK_DEATH_MS ? quickDeaths + 1 : 0;
      if (quickDeaths > QUICK_DEATHS) return onLost(new StartFailure(report));
      announce(`${report}\nStarting it again.`);
      running = delay(PAUSE_MS, undefined, { signal }).then(start);
      running.then(
        () => announce(`${name} is ready again`),
        () => undefined, // the next round tells
      );
    }
  };
  await running;
  void watch();
  return {
    async stop() {
      isWanted = false;
      const child = await running.catch(() => undefined);
      await child?.stop();
    },
  };
}

async function describeEnd(child: Child): Promise<string> {
  const how = await child.ended;
  return `The ${child.name} process died (${how}). Its last lines:\n${child.lastLines()}`;
}
