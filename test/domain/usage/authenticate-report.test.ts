import test from 'ava';
import type { UsageKind } from '../../../domain/usage/decide-usage.ts';
import { authenticateReport } from '../../../domain/usage/record-evidence.query.ts';
import { createSeed } from '../../support/catalog/seed.ts';
import { daysOf } from '../../support/catalog/usage.ts';
import { openTestDatabase } from '../../support/engines/database.ts';
import { createUsageRecorder } from '../../../domain/usage/usage-recorder.command.ts';

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

test('a report that adds nothing to its day does not wait for the database', async (t) => {
  const product = await seed.product();
  const { personId } = await seed.token({ product });
  const key = { productId: product.id, personId };
  let isReachable = true;
  const pool = new Proxy(database.pool, {
    get: (target, name) =>
      name === 'query' && !isReachable
        ? () => Promise.reject(new Error('unreachable'))
        : (Reflect.get(target, name) as unknown),
  });
  const recorder = createUsageRecorder(pool, { warn: () => undefined });
  const send = (kind: UsageKind) =>
    recorder.recordByToken({ ...key, isOwnTeam: false, at: new Date() }, kind);
  const isCommitted = async (kind: UsageKind) => {
    isReachable = false;
    const isRefused = await send(kind).then(
      () => false,
      () => true,
    );
    isReachable = true;
    if (isRefused) await send(kind);
    return isRefused;
  };
  t.true(await isCommitted('session'), 'the row appears');
  t.false(await isCommitted('session'));
  t.true(await isCommitted('heartbeat'), 'the day qualifies');
  t.true(await isCommitted('activity'), 'a kind that is new');
  t.false(await isCommitted('heartbeat'));
  t.false(await isCommitted('session'));
  await recorder.close();
  const [day] = await daysOf({ test: testDatabase }, key);
  t.like(day, { session: true, heartbeat: true, activity: true, is_qualifying: true });
});
