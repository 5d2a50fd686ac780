/** More work than the machine can do in good time: the caller has to retry. */
export class QueueFull extends Error {
  override name = 'QueueFull';
}

type Job = { begin(): void; refuse(error: QueueFull): void };

/**
 * Runs `atOnce` jobs and lets `waiting` wait. Callers take turns, so that many jobs of one do not
 * hold up those of another. When the queue is full, the newest job of the caller with the most jobs
 * is refused.
 */
export function createQueue({ atOnce, waiting }: { atOnce: number; waiting: number }) {
  /** The jobs of each caller; the next caller comes first. */
  const lines = new Map<string, Job[]>();
  let running = 0;
  let count = 0;

  function takeNext(): Job | undefined {
    for (const [caller, line] of lines) {
      lines.delete(caller);
      const job = line.shift();
      if (line.length > 0) lines.set(caller, line);
      count -= 1;
      return job;
    }
    return undefined;
  }

  function makeRoom(own: number): void {
    if (count < waiting) return;
    const full = new QueueFull('too many are waiting');
    const longest = [...lines.values()].reduce((a, b) => (b.length > a.length ? b : a), []);
    if (longest.length <= own + 1) throw full;
    longest.pop()!.refuse(full);
    count -= 1;
  }

  function wait(caller: string): Promise<void> {
    const line = lines.get(caller) ?? [];
    makeRoom(line.length);
    lines.set(caller, line);
    count += 1;
    return new Promise((begin, refuse) => line.push({ begin, refuse }));
  }

  return async <Result>(work: () => Promise<Result>, caller = ''): Promise<Result> => {
    // A job that ends passes its place on.
    if (running >= atOnce) await wait(caller);
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
