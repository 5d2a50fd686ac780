import { ConfigurationError } from '../../platform/config.ts';
import { createConsole } from './console.ts';
import type { Console } from './console.ts';
import { StartFailure } from './failure.ts';
import { prepareShutdown } from './shutdown.ts';
import type { Shutdown } from './shutdown.ts';
import { isSettledWithin } from './wait.ts';

export interface Launch {
  output: Console;
  shutdown: Shutdown;
  /** Shows why it cannot go on, and stops everything. */
  fail(fault: unknown): void;
  /** Something quick that must happen however this process ends. */
  onExit(action: () => void): void;
}

const GIVE_UP_MS = 5_000;
const INTERRUPTED = 130;

/** Runs `start`, waits until a stop is wanted, stops all that was started, and returns the exit code. */
export async function launch(start: (launch: Launch) => Promise<void>): Promise<number> {
  const output = createConsole();
  const exitActions: (() => void)[] = [];
  const shutdown = prepareShutdown(() => process.exit(INTERRUPTED));
  const fail = (fault: unknown) => {
    // What breaks off because everything stops is no news.
    if (!shutdown.signal.aborted) output.say(explain(fault));
    shutdown.request(1);
  };
  process.on('exit', () => {
    for (const action of exitActions) action();
  });
  process.on('uncaughtException', fail);
  const started = start({
    output,
    shutdown,
    fail,
    onExit: (action) => exitActions.unshift(action),
  }).catch(fail);
  const exitCode = await shutdown.requested;
  await isSettledWithin(started, GIVE_UP_MS);
  await shutdown.stopAll();
  return exitCode;
}

function explain(fault: unknown): string {
  if (fault instanceof StartFailure || fault instanceof ConfigurationError) return fault.message;
  return `It failed: ${fault instanceof Error ? fault.stack : String(fault)}`;
}
