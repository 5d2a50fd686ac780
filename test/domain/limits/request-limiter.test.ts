import test from 'ava';
import { consume, isWithinLimit, secondsLeft } from '../../../domain/limits/consume.repository.ts';
import { RequestLimiter, toLimiterRes } from '../../../domain/limits/request-limiter.repository.ts';
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
