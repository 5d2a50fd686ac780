import test from 'ava';
import { consume, isWithinLimit } from '../../../domain/limits/consume.repository.ts';
import { removeEndedThrottles, Throttle } from '../../../domain/limits/throttle.repository.ts';
import { openTestDatabase } from '../../support/engines/database.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(() => close());

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
