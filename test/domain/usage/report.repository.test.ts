import test from 'ava';
import type { UsageKind } from '../../../domain/usage/decide-usage.ts';
import { authenticateReport } from '../../../domain/usage/report.repository.ts';
import { createSeed } from '../../support/catalog/seed.ts';
import { daysOf } from '../../support/catalog/usage.ts';
import { openTestDatabase } from '../../support/engines/database.ts';

const { testDatabase, database, close } = await openTestDatabase();
const seed = createSeed(database, []);
test.after.always(close);

const LIMIT = 3;

async function newReporter() {
  const product = await seed.product();
  const { token: credential, personId } = await seed.token({ product });
  const report = (kind: UsageKind | null, limit = LIMIT) =>
    authenticateReport(database.pool, { credential, window: 'usage_reports', limit, kind });
  const days = () => daysOf({ test: testDatabase }, { productId: product.id, personId });
  return { report, days };
}

test('of reports that come together only those within the limit are recorded', async (t) => {
  const { report, days } = await newReporter();
  const kinds = ['session', 'session', 'session', 'heartbeat', 'activity'] as const;
  const found = await Promise.all(kinds.map((kind) => report(kind)));
  t.deepEqual(
    found.map((one) => one !== null && one !== 'deleted' && one.count.n),
    [1, 2, 3, 4, 5],
  );
  t.like(await days(), [
    { session: true, heartbeat: false, activity: false, is_qualifying: false },
  ]);
});

test('reports that come together make one row with all their kinds', async (t) => {
  const { report, days } = await newReporter();
  await Promise.all((['session', 'activity', 'heartbeat'] as const).map((kind) => report(kind)));
  const made = await days();
  t.is(made.length, 1);
  t.like(made, [{ session: true, heartbeat: true, activity: true }]);
  t.true(made[0]!.is_qualifying);
});

test('a report without a kind is counted and not recorded', async (t) => {
  const { report, days } = await newReporter();
  t.like(await report(null), { count: { n: 1 } });
  t.deepEqual(await days(), []);
});

test('many reporters in opposite orders do not wait for each other for ever', async (t) => {
  const reporters = await Promise.all(Array.from({ length: 40 }, newReporter));
  const rounds = Array.from({ length: 10 }, () => [...reporters, ...reporters.toReversed()]).flat();
  await Promise.all(rounds.map(({ report }) => report('activity', 1_000)));
  for (const { days } of reporters) t.like(await days(), [{ activity: true }]);
});
