import test from 'ava';
import type { UsageKind } from '../../../domain/usage/decide-usage.ts';
import { createUsageRecorder } from '../../../domain/usage/recorder.repository.ts';
import type { AuthenticatedReport } from '../../../domain/usage/report.repository.ts';
import { newCredential } from '../../../domain/shared/ids.ts';
import { openTestDatabase } from '../../support/database.ts';
import { createSeed } from '../../support/seed.ts';
import { daysOf } from '../../support/usage.ts';

const { testDatabase, database, close } = await openTestDatabase();
const seed = createSeed(database, []);
test.after.always(close);

test('what the day of a token says already is gathered instead of committed', async (t) => {
  const product = await seed.product();
  const { token: credential, personId } = await seed.token({ product });
  const key = { productId: product.id, personId };
  const recorder = createUsageRecorder(database.pool, { warn: () => undefined });
  const send = async (kind: UsageKind) => {
    const report = { credential, window: 'usage_reports', limit: 6_000, kind };
    const { holder, isRecorded } = (await recorder.authenticateReport(
      report,
    )) as AuthenticatedReport;
    if (!isRecorded) await recorder.recordByToken({ ...holder, ...key }, kind);
    return isRecorded;
  };
  t.true(await send('session'), 'the row appears');
  t.false(await send('session'));
  t.true(await send('heartbeat'), 'it rises');
  t.false(await send('activity'));
  t.false(await send('session'));
  await recorder.close();
  const [day] = await daysOf({ test: testDatabase }, key);
  t.like(day, { sessions: 3, heartbeats: 1, activities: 1, is_qualifying: true });
});

test('a truncated token is refused without a look into the database', async (t) => {
  const pool = { query: () => t.fail() } as unknown as typeof database.pool;
  const recorder = createUsageRecorder(pool, { warn: () => undefined });
  const credential = newCredential('gat_').slice(0, -1);
  const report = { credential, window: 'usage_reports', limit: 6_000, kind: 'activity' } as const;
  t.is(await recorder.authenticateReport(report), null);
  await recorder.close();
});
