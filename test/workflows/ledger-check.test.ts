import test from 'ava';
import { ensureSchedules } from '../../worker/schedules.ts';
import { createMetrics } from '../../worker/metrics.ts';
import { listen } from '../../platform/http-server.ts';
import { createSales } from '../support/purchases/sales.ts';
import { openStage, type Stage } from '../support/engines/worker.ts';

let stage: Stage;

test.before(async () => {
  stage = await openStage({ taskQueues: ['money'] });
  await stage.startWorkers();
});
test.after.always(() => stage?.close());

test('every currency of the ledger is added up each night, and what is left over is seen', async (t) => {
  const { client, prefix, testDatabase, database } = stage;
  const sales = createSales({ testDatabase, database });
  const sale = await sales.paidSale();
  await sales.tell(sale, [{ amountMinor: 700 }]);
  await ensureSchedules(client, { prefix, baseUrl: 'http://localhost:1' });
  const schedule = client.schedule.getHandle(`${prefix}ledgerCheck`);
  t.like((await schedule.describe()).spec.calendars?.[0], {
    hour: [{ start: 3, end: 3, step: 1 }],
  });
  for (const name of [
    'ledgerCheck',
    'reconcile',
    'referenceCheck',
    'sealReview',
    'sweep',
    'upkeep',
  ]) {
    await client.schedule.getHandle(prefix + name).delete();
  }

  const listener = await listen(createMetrics(database).handler, { hosts: ['127.0.0.1'], port: 0 });
  t.teardown(() => listener.close());
  const seen = async () => {
    const text = await (await fetch(`http://127.0.0.1:${listener.port}/metrics`)).text();
    const value = (name: string) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]);
    t.true(value('gatehouse_ledger_check_age_seconds') >= 0);
    return value('gatehouse_ledger_unbalanced_currencies');
  };
  const check = () =>
    client.workflow.execute('ledgerCheck', {
      taskQueue: `${prefix}money`,
      workflowId: `${prefix}ledger-check`,
    });
  t.deepEqual(await check(), {});
  t.is(await seen(), 0);

  // Only somebody who takes the guard away can do this.
  await testDatabase.query('alter table ledger_entry disable trigger ledger_is_balanced');
  await testDatabase.query(
    `insert into ledger_entry (booking, account, kind, amount_minor, currency, payment_id)
     select 'x', 'seller', 'gross', 7, 'EUR', id from payment limit 1`,
  );
  t.deepEqual(await check(), { EUR: '7' });
  t.is(await seen(), 1);
});
