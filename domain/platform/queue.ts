/** More work than the machine can do in good time: the caller has to come back. */
export class QueueFull extends Error {
  override name = 'QueueFull';
}

/** Runs so many at once, lets so many wait, and refuses the rest at once. */
export function createQueue({ atOnce, waiting }: { atOnce: number; waiting: number }) {
  const queue: (() => void)[] = [];
  let running = 0;
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (running >= atOnce) {
      if (queue.length >= waiting) throw new QueueFull('too many are waiting');
      // Whoever ends hands its place over.
      await new Promise<void>((resolve) => queue.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
