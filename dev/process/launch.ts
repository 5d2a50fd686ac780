import { ConfigurationError } from '../../platform/config.ts';
import { createConsole, type Console } from './console.ts';
import { StartFailure } from './failure.ts';
import { settleWithin } from './wait.ts';

export interface Launch {
  output: Console;
  /** Aborted as soon as everything is to stop. */
  signal: AbortSignal;
  /** How something that has started is stopped: the latest first. */
  defer(stop: () => Promise<void>): void;
  /** Ends the run, with this exit code. */
  end(exitCode: number): void;
  /** Shows why it cannot go on, and stops everything. */
  fail(error: unknown): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
// npm hands on a Ctrl-C that the terminal has already sent.
const SAME_REQUEST_MS = 500;
const GIVE_UP_MS = 5_000;
const LONGEST_STOP_MS = 20_000;
const INTERRUPTED = 130;

/** Runs `start`, waits for its end or a Ctrl-C, stops all that was started, and returns the exit code. */
export async function launch(start: (launch: Launch) => Promise<void>): Promise<number> {
  const output = createConsole();
  const abort = new AbortController();
  const stops = new AsyncDisposableStack();
  const { promise: ended, resolve } = Promise.withResolvers<number>();
  const end = (exitCode: number) => {
    resolve(exitCode);
    abort.abort();
  };
  const fail = (error: unknown) => {
    // What breaks off because everything stops is no news.
    if (!abort.signal.aborted) output.say(explain(error));
    end(1);
  };
  listenForCtrlC(() => end(0));
  process.on('uncaughtException', fail);
  const launched = { output, signal: abort.signal, defer: stops.defer.bind(stops), end, fail };
  const started = start(launched).catch(fail);
  const exitCode = await ended;
  await settleWithin(started, GIVE_UP_MS);
  await settleWithin(stops.disposeAsync(), LONGEST_STOP_MS);
  return exitCode;
}

/** A second Ctrl-C, some time later, is impatient. */
function listenForCtrlC(onFirst: () => void): void {
  let firstAt: number | undefined;
  const onSignal = () => {
    if (firstAt !== undefined && performance.now() - firstAt > SAME_REQUEST_MS) {
      process.exit(INTERRUPTED);
    }
    firstAt ??= performance.now();
    onFirst();
  };
  for (const name of SIGNALS) process.on(name, onSignal);
}

function explain(error: unknown): string {
  if (error instanceof StartFailure || error instanceof ConfigurationError) return error.message;
  return `It failed: ${error instanceof Error ? error.stack : String(error)}`;
}
