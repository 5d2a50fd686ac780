import test from 'ava';
import {
  consume,
  isWithinLimit,
  secondsLeft,
  removeEndedThrottles,
  Throttle,
} from '../../../domain/limits/throttle.repository.ts';
import { RequestLimiter, toLimiterRes } from '../../../domain/limits/rate-window.query.ts';
import { openTestDatabase } from '../../support/engines/database.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(() => close());

const limiter = new RequestLimiter(database.pool, { name: 'test', limit: 3 });

/** Away from the boundary, where a test's requests would fall into two windows. */
async function startWindow() {
  const [row] = await testDatabase.query<{ left: number }>(
    'select (60 - extract(epoch from gatehouse_now())::numeric % 60)::float as left',
  );
  await testDatabase.advance((row!.left + 1) * 1_000);
}

test.serial('of many at once a window lets through as many as its limit', async (t) => {
  await startWindow();
  const all = Array.from({ length: 90 }, () => isWithinLimit(limiter, 'together'));
  t.is((await Promise.all(all)).filter(Boolean).length, 3);
  t.deepEqual(await testDatabase.query('select bucket, n from rate_window'), [
    { bucket: 'test:together', n: 90 },
  ]);
});

test.serial('the state is the same for a hot statement that counts in itself', async (t) => {
  await startWindow();
  for (const [n, remaining] of [2, 1, 0, 0].entries()) {
    const window = await consume(limiter, 'state');
    t.like(window, { consumedPoints: n + 1, remainingPoints: remaining });
    t.deepEqual(window, toLimiterRes({ n: n + 1, resetS: secondsLeft(window) }, 3));
  }
});

test.serial('a window ends with the minute of the database', async (t) => {
  await startWindow();
  for (let n = 0; n < 4; n += 1) await consume(limiter, 'minute');
  const wait = secondsLeft(await consume(limiter, 'minute'));
  t.true(wait >= 1 && wait <= 60);
  await testDatabase.advance(wait * 1_000);
  t.is((await consume(limiter, 'minute')).consumedPoints, 1);
});

test('what a window cannot keep is refused', async (t) => {
  t.throws(() => limiter.block(), { message: /cannot be changed/ });
  t.throws(() => limiter.set(), { message: /cannot be changed/ });
  t.throws(() => limiter.penalty(), { message: /cannot be changed/ });
  t.throws(() => limiter.reward(), { message: /cannot be changed/ });
  await t.throwsAsync(limiter.consume('many', 2), { message: 'A request counts one.' });
  await t.throwsAsync(limiter.get('key'));
  await t.throwsAsync(limiter.delete('key'));
});

const HOUR_MS = 3_600_000;
const LIMIT = { most: 2, minutes: 10 };
const throttle = new Throttle(database.pool, { name: 'test', ...LIMIT });
const countOf = async (key: string) => (await throttle.get(key))?.consumedPoints ?? null;

test('of many at once the limit lets through as many as it says', async (t) => {
  const all = Array.from({ length: 20 }, () => isWithinLimit(throttle, 'together'));
  t.is((await Promise.all(all)).filter(Boolean).length, LIMIT.most);
});

test('a rollback loses no count', async (t) => {
  const work = database.transaction(async () => {
    await consume(throttle, 'rolled back');
    throw new Error('rolled back');
  });
  await t.throwsAsync(work, { message: 'rolled back' });
  t.is(await countOf('rolled back'), 1);
});

test('one that is taken back counts no more', async (t) => {
  await consume(throttle, 'right');
  await consume(throttle, 'right');
  await throttle.takeBack('right');
  t.is(await countOf('right'), 1);
});

test('what is taken back after the count was cleared gives no more than the limit', async (t) => {
  await consume(throttle, 'cleared');
  await consume(throttle, 'cleared');
  await throttle.delete('cleared');
  await Promise.all([throttle.takeBack('cleared'), throttle.takeBack('cleared')]);
  t.is(await countOf('cleared'), 0);
});

test.serial('a period ends, and what is taken back later changes nothing', async (t) => {
  await consume(throttle, 'ended');
  await testDatabase.advance(LIMIT.minutes * 60_000);
  t.is(await countOf('ended'), null);
  await throttle.takeBack('ended');
  t.is(await countOf('ended'), 0);
});

test.serial('the table keeps the hash of a key, whatever its case, and no key', async (t) => {
  await consume(throttle, 'Somebody@example.com');
  await consume(throttle, ' somebody@EXAMPLE.com');
  t.is(await countOf('somebody@example.com'), 2);
  t.notRegex(JSON.stringify(await testDatabase.query('select * from throttle')), /somebody/i);
});

test.serial('a row is removed an hour after it ended, so that clocks may differ', async (t) => {
  await testDatabase.query('delete from throttle');
  const age = (milliseconds: number) =>
    testDatabase.query('update throttle set expire = $1::bigint', [Date.now() - milliseconds]);
  await consume(throttle, 'old');
  await testDatabase.query(`update test_clock set ahead = '0'`);
  await age(HOUR_MS - 60_000);
  t.is(await removeEndedThrottles(database.em()), 0);
  await age(HOUR_MS + 60_000);
  t.is(await removeEndedThrottles(database.em()), 1);
});

test.serial('ended rows are found by an index', async (t) => {
  const { rows: plan } = await database.pool.query<{ 'QUERY PLAN': string }>(
    `explain select key from throttle
     where expire < (extract(epoch from gatehouse_now() - interval '1 hour') * 1000)::bigint`,
  );
  t.regex(plan.map((line) => line['QUERY PLAN']).join('\n'), /throttle_expire/);
});
