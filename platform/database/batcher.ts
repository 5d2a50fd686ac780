import pg from 'pg';

/** The most statements of a kind that are under way, and the most callers that share one. */
const UNDER_WAY = 2;
const MAX_CALLERS = 64;

type Statement<Input, Output, Source> = {
  /** One statement for all: an output for each input, in the same order. */
  many(source: Source, inputs: readonly Input[]): Promise<Output[]>;
  /** A plainer one for a single caller. */
  one?(source: Source, input: Input): Promise<Output>;
};

type WaitingCaller<Input, Output> = {
  input: Input;
  resolve(output: Output): void;
  reject(error: unknown): void;
};

/**
 * Callers that are present in the process at the same moment share one statement. Nothing is
 * remembered: each statement begins after all of its callers have arrived.
 */
export function batchStatement<Input, Output, Source extends object = pg.Pool>(
  statement: Statement<Input, Output, Source>,
) {
  const queues = new WeakMap<Source, (waiting: WaitingCaller<Input, Output>) => void>();
  return (source: Source, input: Input): Promise<Output> => {
    const enqueue = queues.get(source) ?? createQueue(source, statement);
    queues.set(source, enqueue);
    return new Promise((resolve, reject) => enqueue({ input, resolve, reject }));
  };
}

function createQueue<Input, Output, Source>(
  source: Source,
  statement: Statement<Input, Output, Source>,
) {
  const waiting: WaitingCaller<Input, Output>[] = [];
  let underWay = 0;
  let isScheduled = false;
  const send = () => {
    isScheduled = false;
    const places = UNDER_WAY - underWay;
    for (let sent = 0; sent < places && waiting.length > 0; sent += 1) {
      void run(waiting.splice(0, MAX_CALLERS));
    }
  };
  const run = async (callers: WaitingCaller<Input, Output>[]) => {
    underWay += 1;
    const settle = await execute(source, statement, callers);
    underWay -= 1;
    if (waiting.length === 0) return settle();
    // The next statement is sent first: PostgreSQL works for it while these callers get their
    // responses.
    send();
    return setImmediate(settle);
  };
  return (next: WaitingCaller<Input, Output>) => {
    waiting.push(next);
    if (isScheduled || underWay === UNDER_WAY) return;
    isScheduled = true;
    setImmediate(send); // once all requests that have arrived are read
  };
}

/** Returns the function that gives each caller its output. */
async function execute<Input, Output, Source>(
  source: Source,
  statement: Statement<Input, Output, Source>,
  callers: WaitingCaller<Input, Output>[],
): Promise<() => void> {
  const inputs = callers.map(({ input }) => input);
  try {
    const outputs =
      inputs.length === 1 && statement.one
        ? [await statement.one(source, inputs[0]!)]
        : await statement.many(source, inputs);
    return () => callers.forEach(({ resolve }, index) => resolve(outputs[index]!));
  } catch (error) {
    if (callers.length === 1 || !isOfOneCaller(error)) {
      return () => callers.forEach(({ reject }) => reject(error));
    }
    // Nothing was written, so each caller is tried alone and none suffers for another.
    const alone = callers.map(async (caller) => (await execute(source, statement, [caller]))());
    await Promise.all(alone);
    return () => undefined;
  }
}

/** A value or a constraint of one caller: data exceptions, violations, and what our SQL raises. */
export function isOfOneCaller(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^(2[23]|P0)/.test(error.code ?? '');
}
