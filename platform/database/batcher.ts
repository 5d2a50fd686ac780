import pg from 'pg';

// The number of statements of a kind under way, and of callers for each: beyond that PostgreSQL's
// processes only take turns. A statement costs as much as ten of its callers, so a second one waits
// until enough callers came, the first was answered, or the first waits for a lock.
const UNDER_WAY = 2;
const LARGEST = 64;
const ENOUGH = 32;
const LONG_MS = 20;
// Callers that get their responses together come back together: one statement for all costs less
// than two.
const CROWD = 16;
const QUIET_TURNS = 8;
const FADING = 0.9;

type Statement<Input, Output> = {
  /** The plain statement of a single caller. */
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
 * Callers that are present in the process at the same moment share one statement. Nothing is
 * remembered: each statement begins after all of its callers have arrived.
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
  /** The start of each statement under way, the oldest first. */
  const sentAt: number[] = [];
  let isScheduled = false;
  let patience: NodeJS.Timeout | undefined;
  /** The recent number of callers of a statement. */
  let expected = 0;
  /** The oldest statement is under way for so long that it may wait for a lock. */
  const isLate = () => performance.now() - sentAt[0]! >= LONG_MS;
  const isDue = () => {
    if (waiting.length === 0 || sentAt.length === UNDER_WAY) return false;
    return sentAt.length === 0 || waiting.length >= ENOUGH || isLate();
  };
  const send = () => {
    isScheduled = false;
    while (isDue()) {
      const callers = waiting.splice(0, LARGEST);
      expected = Math.max(callers.length, Math.floor(expected * FADING));
      void answer(callers);
    }
    lookAgain();
  };
  const answer = async (callers: Waiting<Input, Output>[]) => {
    const since = performance.now();
    sentAt.push(since);
    const tell = await ask(pool, statement, callers);
    sentAt.splice(sentAt.indexOf(since), 1);
    passOn(tell);
  };
  // The next statement is sent first: PostgreSQL works for it while the callers of the last one get
  // their responses, which takes as long. When batches were large lately, a few callers wait for
  // those.
  const passOn = (tell: () => void) => {
    if (!isDue()) {
      lookAgain();
      return tell();
    }
    if (expected >= CROWD && waiting.length < CROWD) {
      tell();
      return schedule();
    }
    send();
    return setImmediate(tell); // the pool sends at the end of this turn
  };
  const schedule = () => {
    if (isScheduled || waiting.length === 0) return;
    if (!isDue()) return lookAgain();
    if (expected === 1) return send(); // nobody has joined lately
    isScheduled = true;
    setImmediate(gather, waiting.length, 0); // once all that has arrived is read
  };
  /** Checks once the statement under way is late, when a second one may be due. */
  const lookAgain = () => {
    if (waiting.length === 0 || sentAt.length !== 1) return;
    const leftMs = Math.max(1, Math.ceil(sentAt[0]! + LONG_MS - performance.now()));
    patience ??= setTimeout(() => {
      patience = undefined;
      schedule();
    }, leftMs);
  };
  /** Until a batch is complete, or so many turns of the event loop brought no caller. */
  const gather = (seen: number, quietTurns: number) => {
    const isComplete = expected < CROWD || waiting.length >= expected;
    if (isComplete || quietTurns === QUIET_TURNS) return send();
    const turns = waiting.length > seen ? 0 : quietTurns + 1;
    return setImmediate(gather, waiting.length, turns);
  };
  return (next: Waiting<Input, Output>) => {
    waiting.push(next);
    schedule();
  };
}

/** Returns the function that delivers the responses. */
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
    // Nothing was written, so each caller is tried alone and none suffers for another.
    const alone = callers.map(async (caller) => (await ask(pool, statement, [caller]))());
    await Promise.all(alone);
    return () => undefined;
  }
}
