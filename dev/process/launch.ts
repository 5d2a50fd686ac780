import { ConfigurationError } from '../../platform/config.ts';
import { StartFailure } from './run.ts';

export interface Launch {
  /** Aborted as soon as everything is to stop. */
  signal: AbortSignal;
  /** Registers the stop of something that has started: the latest stops first. */
  defer(stop: () => Promise<void>): void;
  /** Ends the run, with this exit code. */
  end(exitCode: number): void;
  /** Shows the error and stops everything. */
  fail(error: unknown): void;
}

// npm hands on a Ctrl-C that the terminal has already sent.
const SAME_REQUEST_MS = 500;
const LONGEST_STOP_MS = 20_000;
const INTERRUPTED = 130;

/** Runs `start`, waits for its end or a Ctrl-C, stops all that was started, and returns the exit code. */
export async function launch(start: (launch: Launch) => Promise<void>): Promise<number> {
  const abort = new AbortController();
  const stops = new AsyncDisposableStack();
  const { promise: ended, resolve } = Promise.withResolvers<number>();
  const end = (exitCode: number) => {
    resolve(exitCode);
    abort.abort();
  };
  const fail = (error: unknown) => {
    // An error after the stop began is its effect.
    if (!abort.signal.aborted) console.log(explain(error));
    end(1);
  };
  listenForCtrlC(() => end(0));
  process.on('uncaughtException', fail);
  const started = start({ signal: abort.signal, defer: stops.defer.bind(stops), end, fail });
  const settled = started.catch(fail);
  const exitCode = await ended;
  setTimeout(() => process.exit(1), LONGEST_STOP_MS).unref();
  await settled;
  await stops.disposeAsync();
  return exitCode;
}

/** A second Ctrl-C, some time later, ends the process at once. */
function listenForCtrlC(onFirst: () => void): void {
  let firstAt: number | undefined;
  const onSignal = () => {
    firstAt ??= performance.now();
    if (performance.now() - firstAt > SAME_REQUEST_MS) process.exit(INTERRUPTED);
    onFirst();
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, onSignal);
}

function explain(error: unknown): string {
  if (error instanceof StartFailure || error instanceof ConfigurationError) return error.message;
  return `It failed: ${error instanceof Error ? error.stack : String(error)}`;
}
