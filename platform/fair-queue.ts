/** More work than the machine can do in good time: the caller has to retry. */
export class QueueFull extends Error {
  override name = 'QueueFull';
}

/** The caller whose turn a job takes. */
export type Caller = {
  caller?: string;
  /** The network whose place it takes, where that is another: one network may have many callers. */
  network?: string;
  /** The caller has shown before who it is. */
  isKnown?: boolean;
};

type Job = { network: string; begin(): void; refuse(error: QueueFull): void };

/** The jobs of each caller; the next caller comes first. */
type Lines = Map<string, Job[]>;

/** One of so many jobs that begin while both wait is not of a known caller. */
const TURNS = 4;

/**
 * Runs `atOnce` jobs and lets `waiting` wait. Callers take turns, so that many jobs of one do not
 * hold up those of another. When the queue is full, the newest job of the network with the most jobs
 * is refused. Known callers go before all others and take their places when the queue is full; the
 * others keep every fourth turn and a fourth of the places.
 */
export function createQueue({ atOnce, waiting }: { atOnce: number; waiting: number }) {
  const known: Lines = new Map();
  const others: Lines = new Map();
  let running = 0;
  let count = 0;
  let turn = 0;

  function takeNext(): Job | undefined {
    turn = (turn + 1) % TURNS;
    const job = turn === 0 ? takeFrom(others, known) : takeFrom(known, others);
    if (job) count -= 1;
    return job;
  }

  function makeRoom(lines: Lines, network: string): void {
    if (count < waiting) return;
    const full = new QueueFull('too many are waiting');
    const isGivenWay = lines === known && sizeOf(others) > waiting / TURNS;
    const fullLines = isGivenWay ? others : lines;
    const jobs = countByNetwork(fullLines);
    const [busiest, most] = [...jobs].reduce((a, b) => (b[1] > a[1] ? b : a), ['', 0]);
    if (!isGivenWay && most <= (jobs.get(network) ?? 0) + 1) throw full;
    removeLatest(fullLines, busiest).refuse(full);
    count -= 1;
  }

  function wait({ caller, network, isKnown }: Required<Caller>): Promise<void> {
    const lines = isKnown ? known : others;
    makeRoom(lines, network);
    const line = lines.get(caller) ?? [];
    lines.set(caller, line);
    count += 1;
    return new Promise((begin, refuse) => line.push({ network, begin, refuse }));
  }

  return async <Result>(
    work: () => Promise<Result>,
    { caller = '', network = caller, isKnown = false }: Caller = {},
  ): Promise<Result> => {
    // A job that ends passes its place on.
    if (running >= atOnce) await wait({ caller, network, isKnown });
    else running += 1;
    try {
      return await work();
    } finally {
      const next = takeNext();
      if (next) next.begin();
      else running -= 1;
    }
  };
}

function sizeOf(lines: Lines): number {
  return [...lines.values()].reduce((sum, line) => sum + line.length, 0);
}

/** Takes the first job of the caller whose turn it is; callers of the first group go before. */
function takeFrom(...groups: [Lines, Lines]): Job | undefined {
  for (const lines of groups) {
    for (const [caller, line] of lines) {
      lines.delete(caller);
      const job = line.shift();
      if (line.length > 0) lines.set(caller, line);
      return job;
    }
  }
  return undefined;
}

function countByNetwork(lines: Lines): Map<string, number> {
  const jobs = new Map<string, number>();
  for (const { network } of [...lines.values()].flat()) {
    jobs.set(network, (jobs.get(network) ?? 0) + 1);
  }
  return jobs;
}

/** Takes the last job of a network out of the longest line that has one. */
function removeLatest(lines: Lines, network: string): Job {
  const [caller, line] = [...lines]
    .filter(([, jobs]) => jobs.some((job) => job.network === network))
    .reduce((a, b) => (b[1].length >= a[1].length ? b : a));
  const [job] = line.splice(
    line.findLastIndex((each) => each.network === network),
    1,
  );
  if (line.length === 0) lines.delete(caller);
  return job!;
}
