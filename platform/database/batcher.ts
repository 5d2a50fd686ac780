import pg from 'pg';

// At most so many statements of a kind under way, each for at most so many callers: beyond that
// PostgreSQL's processes only take turns. A statement costs as much as ten of its callers, so a second
// one waits until enough have gathered, or the first has answered, or waits for somebody itself.
const UNDER_WAY = 2;
const LARGEST = 64;
const ENOUGH = 32;
const LONG_MS = 20;
// A crowd comes back together once it is told: one statement for all of it costs less than two.
const CROWD = 16;
const QUIET_TURNS = 8;
const FADING = 0.9;

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
  /** When each statement under way was sent, the oldest first. */
  const sentAt: number[] = [];
  let isScheduled = false;
  let patience: NodeJS.Timeout | undefined;
  /** How many a statement has lately been for. */
  let expected = 0;
  /** The oldest is under way for so long that it may wait for somebody. */
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
  // Those who wait come first: PostgreSQL works for them while the others are told, which takes as long.
  // Where crowds have come lately, a few wait for those who are told now.
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
  /** Once the one under way is late, if somebody waits for a second. */
  const lookAgain = () => {
    if (waiting.length === 0 || sentAt.length !== 1) return;
    const leftMs = Math.max(1, Math.ceil(sentAt[0]! + LONG_MS - performance.now()));
    patience ??= setTimeout(() => {
      patience = undefined;
      schedule();
    }, leftMs);
  };
  /** Until a crowd is complete, or so many turns of the event loop have brought nobody. */
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
