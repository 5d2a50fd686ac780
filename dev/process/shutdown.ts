import { isSettledWithin } from './wait.ts';

interface Stop {
  rank: number;
  stop: () => Promise<unknown>;
}

export interface Shutdown {
  /** Aborted as soon as everything is to stop. */
  signal: AbortSignal;
  /** What has started and how it stops: lower ranks first, equal ones together. */
  add(rank: number, stop: () => Promise<unknown>): void;
  /** Ends the run, with this exit code. */
  request(exitCode: number): void;
  /** Settles with the exit code once a stop is wanted. */
  requested: Promise<number>;
  stopAll(): Promise<void>;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
// npm hands on a Ctrl-C that the terminal has already sent.
const SAME_REQUEST_MS = 500;
const LONGEST_STOP_MS = 12_000;

/** Turns Ctrl-C and its kin into one orderly stop; a second one, some time later, is impatient. */
export function prepareShutdown(onImpatience: () => void): Shutdown {
  const abort = new AbortController();
  const { promise: requested, resolve } = Promise.withResolvers<number>();
  const stops: Stop[] = [];
  let firstRequestAt: number | undefined;
  const request = (exitCode: number) => {
    firstRequestAt ??= performance.now();
    resolve(exitCode);
    abort.abort();
  };
  const onSignal = () => {
    if (firstRequestAt === undefined) request(0);
    else if (performance.now() - firstRequestAt > SAME_REQUEST_MS) onImpatience();
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  return {
    signal: abort.signal,
    add: (rank, stop) => stops.push({ rank, stop }),
    request,
    requested,
    async stopAll() {
      const ranks = [...new Set(stops.map(({ rank }) => rank))].sort((one, two) => one - two);
      for (const rank of ranks) {
        const together = stops.filter((entry) => entry.rank === rank);
        const stopped = Promise.allSettled(together.map(({ stop }) => stop()));
        await isSettledWithin(stopped, LONGEST_STOP_MS);
      }
    },
  };
}
