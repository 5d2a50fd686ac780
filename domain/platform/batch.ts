import pg from 'pg';

// At most so many statements of a kind under way, each for at most so many callers: beyond that
// PostgreSQL's processes only take turns. A statement costs as much as ten of its callers, so a second
// one waits until enough have gathered, or the first has answered, or waits for somebody itself.
const UNDER_WAY = 2;
const LARGEST = 64;
const ENOUGH = 16;
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
      void answer(pool, statement, waiting.splice(0, LARGEST)).finally(() => {
        underWay -= 1;
        schedule();
      });
    }
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

async function answer<Input, Output>(
  pool: pg.Pool,
  statement: Statement<Input, Output>,
  callers: Waiting<Input, Output>[],
): Promise<void> {
  const alone = (caller: Waiting<Input, Output>) =>
    statement.one(pool, caller.input).then(caller.resolve, caller.reject);
  if (callers.length === 1) return alone(callers[0]!);
  try {
    const outputs = await statement.many(
      pool,
      callers.map(({ input }) => input),
    );
    for (const [index, caller] of callers.entries()) caller.resolve(outputs[index]!);
  } catch (fault) {
    // Refused by PostgreSQL, so nothing was written: nobody is to suffer for a neighbour.
    if (fault instanceof pg.DatabaseError) await Promise.all(callers.map(alone));
    else for (const caller of callers) caller.reject(fault);
  }
}
