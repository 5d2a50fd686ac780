import test from 'ava';
import type { UsageKind } from '../../../domain/usage/decide-usage.ts';
import { createUsageRecorder } from '../../../domain/usage/recorder.repository.ts';
import { openTestDatabase } from '../../support/engines/database.ts';
import { createSeed } from '../../support/catalog/seed.ts';
import { daysOf } from '../../support/catalog/usage.ts';

const { testDatabase, database, close } = await openTestDatabase();
const seed = createSeed(database, []);
test.after.always(close);

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
