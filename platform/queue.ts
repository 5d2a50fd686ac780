/** More work than the machine can do in good time: the caller has to retry. */
export class QueueFull extends Error {
  override name = 'QueueFull';
}

/** The caller whose turn a job takes; a known caller has shown before who it is. */
export type Caller = { caller?: string; isKnown?: boolean };

type Job = { begin(): void; refuse(error: QueueFull): void };

/** The jobs of each caller; the next caller comes first. */
type Lines = Map<string, Job[]>;

/** One of so many jobs that begin while both wait is not of a known caller. */
const TURNS = 4;

/**
 * Runs `atOnce` jobs and lets `waiting` wait. Callers take turns, so that many jobs of one do not
 * hold up those of another. When the queue is full, the newest job of the caller with the most jobs
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
    const inOrder = turn === 0 ? [others, known] : [known, others];
    return takeFrom(inOrder[0]!) ?? takeFrom(inOrder[1]!);
  }

  function takeFrom(lines: Lines): Job | undefined {
    for (const [caller, line] of lines) {
      lines.delete(caller);
      const job = line.shift();
      if (line.length > 0) lines.set(caller, line);
      count -= 1;
      return job;
    }
    return undefined;
  }

  function makeRoom(lines: Lines, own: number): void {
    if (count < waiting) return;
    const full = new QueueFull('too many are waiting');
    const isGivenWay = lines === known && sizeOf(others) > waiting / TURNS;
    const [caller, longest] = findLongest(isGivenWay ? others : lines);
    if (!isGivenWay && longest.length <= own + 1) throw full;
    longest.pop()!.refuse(full);
    if (longest.length === 0) others.delete(caller);
    count -= 1;
  }

  function wait(caller: string, isKnown: boolean): Promise<void> {
    const lines = isKnown ? known : others;
    const line = lines.get(caller) ?? [];
    makeRoom(lines, line.length);
    lines.set(caller, line);
    count += 1;
    return new Promise((begin, refuse) => line.push({ begin, refuse }));
  }

  return async <Result>(
    work: () => Promise<Result>,
    { caller = '', isKnown = false }: Caller = {},
  ): Promise<Result> => {
    // A job that ends passes its place on.
    if (running >= atOnce) await wait(caller, isKnown);
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

function findLongest(lines: Lines): [caller: string, line: Job[]] {
  return [...lines].reduce((a, b) => (b[1].length > a[1].length ? b : a), ['', []]);
}
