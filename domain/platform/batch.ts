import pg from 'pg';

// At most so many statements of a kind under way, each for at most so many callers: beyond that
// PostgreSQL's processes only take turns. A statement costs as much as ten of its callers, so a second
// one waits until enough have gathered, or the first has answered, or waits for somebody itself.
const UNDER_WAY = 2;
const LARGEST = 64;
const ENOUGH = 32;
const LONG_MS = 20;

type Statement<Input, Output> = {
  /** The plain statement, for a caller who is alone. */
  one(pool: pg.Pool, input: Input): Promise<Output>;
  /** One statement for all: an output for each input, in the same order. */
  many(pool: pg.Pool, inputs: readonly Input[]): Promise<Output[]>;
};

type Waiting<Input, Output> = {
  input: Input;
  resolve(output: Output): void;
  reject(fault: unknown): void;
};

/**
 * Callers that are in the process at the same moment share one statement. Nothing is remembered:
 * each statement begins after all of its callers have asked.
 */
export function shareStatement<Input, Output>(statement: Statement<Input, Output>) {
  const queues = new WeakMap<pg.Pool, (waiting: Waiting<Input, Output>) => void>();
  return (pool: pg.Pool, input: Input): Promise<Output> => {
    const enqueue = queues.get(pool) ?? createQueue(pool, statement);
    queues.set(pool, enqueue);
    return new Promise((resolve, reject) => enqueue({ input, resolve, reject }));
  };
}

function createQueue<Input, Output>(pool: pg.Pool, statement: Statement<Input, Output>) {
  const waiting: Waiting<Input, Output>[] = [];
  let underWay = 0;
  let startedAt = 0;
  let isScheduled = false;
  const isWorthASecond = () => waiting.length >= ENOUGH || performance.now() - startedAt > LONG_MS;
  const isDue = () =>
    waiting.length > 0 && underWay < UNDER_WAY && (underWay === 0 || isWorthASecond());
  const send = () => {
    isScheduled = false;
    while (isDue()) {
      underWay += 1;
      startedAt = performance.now();
      void ask(pool, statement, waiting.splice(0, LARGEST)).then(passOn);
    }
  };
  // Those who wait come first: PostgreSQL works for them while the others are told, which takes as long.
  const passOn = (tell: () => void) => {
    underWay -= 1;
    if (!isDue()) return tell();
    send();
    return setImmediate(tell); // the pool sends at the end of this turn
  };
  const schedule = () => {
    if (isScheduled || !isDue()) return;
    isScheduled = true;
    setImmediate(send); // once all that has arrived is read
  };
  return (next: Waiting<Input, Output>) => {
    waiting.push(next);
    schedule();
  };
}

/** What tells the callers, once there is something to tell. */
async function ask<Input, Output>(
  pool: pg.Pool,
  statement: Statement<Input, Output>,
  callers: Waiting<Input, Output>[],
): Promise<() => void> {
  const inputs = callers.map(({ input }) => input);
  try {
    const outputs =
      inputs.length === 1
        ? [await statement.one(pool, inputs[0]!)]
        : await statement.many(pool, inputs);
    return () => callers.forEach(({ resolve }, index) => resolve(outputs[index]!));
  } catch (fault) {
    const isRefused = fault instanceof pg.DatabaseError && callers.length > 1;
    if (!isRefused) return () => callers.forEach(({ reject }) => reject(fault));
    // So nothing was written: nobody is to suffer for a neighbour.
    const alone = callers.map(async (caller) => (await ask(pool, statement, [caller]))());
    await Promise.all(alone);
    return () => undefined;
  }
}
