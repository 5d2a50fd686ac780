import test from 'ava';
import pg from 'pg';
import { countRequest } from '../../../domain/limits/rate-window.query.ts';
import { batchStatement } from '../../../platform/database/batcher.ts';
import { createTestDatabase } from '../../support/engines/database.ts';
import { eventually } from '../../support/eventually.ts';

const nextTurn = () => new Promise<null>((resolve) => setImmediate(() => resolve(null)));

const nowhere = () => new pg.Pool({ connectionString: 'postgres://127.0.0.1:1/none' });

const refusalOf = (code: string) =>
  Object.assign(new pg.DatabaseError('refused', 7, 'error'), { code });

/** Doubles numbers, and remembers which came together. */
function createDoubler(refuses: (input: number) => boolean = () => false, code = '23505') {
  const together: number[][] = [];
  const run = async (inputs: readonly number[]) => {
    together.push([...inputs]);
    if (inputs.some(refuses)) throw refusalOf(code);
    return inputs.map((input) => input * 2);
  };
  const double = batchStatement<number, number>({
    one: async (_pool, input) => (await run([input]))[0]!,
    many: (_pool, inputs) => run(inputs),
  });
  return { double, together };
}

test('a single caller uses the plain statement', async (t) => {
  const { double, together } = createDoubler();
  t.is(await double(nowhere(), 3), 6);
  t.deepEqual(together, [[3]]);
});

test('callers of the same moment share a statement, and each gets its own output', async (t) => {
  const { double, together } = createDoubler();
  const pool = nowhere();
  const inputs = Array.from({ length: 100 }, (_, index) => index);
  const outputs = await Promise.all(inputs.map((input) => double(pool, input)));
  t.deepEqual(
    outputs,
    inputs.map((input) => input * 2),
  );
  t.deepEqual(
    together.map(({ length }) => length),
    [64, 36],
  );
});

test('a caller that PostgreSQL refuses fails alone', async (t) => {
  const { double } = createDoubler((input) => input === 1);
  const pool = nowhere();
  const outcomes = await Promise.allSettled([0, 1, 2].map((input) => double(pool, input)));
  t.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
});

test('a statement that PostgreSQL ends is not sent again for each of its callers', async (t) => {
  const { double, together } = createDoubler((input) => input === 1, '57014');
  const pool = nowhere();
  const outcomes = await Promise.allSettled([0, 1, 2].map((input) => double(pool, input)));
  t.true(outcomes.every(({ status }) => status === 'rejected'));
  t.deepEqual(together, [[0, 1, 2]]);
});

test('a statement that waits for a lock does not hold up the next callers', async (t) => {
  const stuck = Promise.withResolvers<void>();
  let isSent = false;
  const double = batchStatement<number, number>({
    async one(_pool, input) {
      isSent = true;
      if (input === 0) await stuck.promise;
      return input * 2;
    },
    many: async (_pool, inputs) => inputs.map((input) => input * 2),
  });
  const pool = nowhere();
  const first = double(pool, 0);
  await eventually(nextTurn, () => isSent);
  t.is(await double(pool, 1), 2);
  t.is(await double(pool, 2), 4);
  stuck.resolve();
  t.is(await first, 0);
});

test('callers beyond a full statement are served while it waits for a lock', async (t) => {
  const stuck = Promise.withResolvers<void>();
  const run = async (inputs: readonly number[]) => {
    if (inputs.includes(0)) await stuck.promise;
    return inputs.map((input) => input * 2);
  };
  const double = batchStatement<number, number>({
    one: async (_pool, input) => (await run([input]))[0]!,
    many: (_pool, inputs) => run(inputs),
  });
  const pool = nowhere();
  const all = Array.from({ length: 70 }, (_, input) => double(pool, input));
  t.deepEqual(await Promise.all(all.slice(64)), [128, 130, 132, 134, 136, 138]);
  stuck.resolve();
  t.is((await Promise.all(all)).length, 70);
});

test('the next statement is sent before the callers of the last one get their responses', async (t) => {
  const answers = [0, 1, 2].map(() => Promise.withResolvers<void>());
  const events: string[] = [];
  const run = async (inputs: readonly number[]) => {
    events.push(`sent ${inputs.join()}`);
    await answers[Math.min(inputs[0]!, 2)]!.promise;
    return inputs.map((input) => input * 2);
  };
  const double = batchStatement<number, number>({
    one: async (_pool, input) => (await run([input]))[0]!,
    many: (_pool, inputs) => run(inputs),
  });
  const pool = nowhere();
  const ask = (input: number) => double(pool, input).then(() => events.push(`responded ${input}`));
  const asked = [];
  for (const input of [0, 1]) {
    asked.push(ask(input));
    await eventually(nextTurn, () => events.includes(`sent ${input}`));
  }
  asked.push(ask(2), ask(3));
  answers[0]!.resolve();
  await eventually(nextTurn, () => events.includes('responded 0'));
  t.deepEqual(events, ['sent 0', 'sent 1', 'sent 2,3', 'responded 0']);
  for (const { resolve } of answers) resolve();
  await Promise.all(asked);
});

test('requests that are counted together get the numbers of a row, each its own', async (t) => {
  const database = await createTestDatabase();
  const pool = new pg.Pool({ connectionString: database.url });
  pool.on('error', () => undefined); // dropping the database may reach its sockets first
  t.teardown(async () => {
    await pool.end();
    await database.drop();
  });
  const buckets = Array.from({ length: 90 }, (_, index) => `bucket:${index % 3}`);
  const counts = await Promise.all(buckets.map((bucket) => countRequest(pool, bucket)));
  for (const bucket of new Set(buckets)) {
    const numbers = counts.filter((_, index) => buckets[index] === bucket).map(({ n }) => n);
    // The minute may turn in between: numbers then start again, once.
    const starts = numbers.filter((n) => n === 1).length;
    t.true(starts === 1 || starts === 2);
    t.true(numbers.every((n) => n === 1 || numbers.includes(n - 1)));
    if (starts === 1) t.is(new Set(numbers).size, 30);
  }
});
