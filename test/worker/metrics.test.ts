import test from 'ava';
import { createClaims } from '../../domain/webhooks/deliveries/claims.command.ts';
import { createMetrics } from '../../worker/metrics.ts';
import { raiseAlert } from '../../domain/alerts/alert.repository.ts';
import { readDeliveryHealth } from '../../domain/webhooks/deliveries/delivery-health.query.ts';
import { purchaseWorkflow } from '../../domain/outbox/workflow-targets.ts';
import { listen } from '../../platform/http-server.ts';
import { sendToWorkflow } from '../../domain/outbox/outbox.repository.ts';
import { addBacklog } from '../support/webhooks/backlog.ts';
import { openTestDatabase } from '../support/engines/database.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);

test('an operator reads attempts by outcome, the lag of each priority and what went wrong', async (t) => {
  const metrics = createMetrics(database);
  const listener = await listen(metrics.handler, { hosts: ['127.0.0.1'], port: 0 });
  t.teardown(() => listener.close());
  const url = `http://127.0.0.1:${listener.port}`;
  metrics.countAttempt('succeeded');
  metrics.countAttempt('timeout');
  metrics.countAttempt('timeout');
  await database.transaction((em) => sendToWorkflow(em, purchaseWorkflow('pay_1'), {}));
  await addBacklog(testDatabase, { count: 3, status: 'dead' });
  await addBacklog(testDatabase, { count: 1, status: 'retrying' });
  await addBacklog(testDatabase, { count: 2 });
  await addBacklog(testDatabase, { count: 2 });
  for (const subject of ['pay_1', 'pay_2', 'pay_2']) {
    await database.transaction((em) => raiseAlert(em, { kind: 'clearing_stuck', subject }));
  }
  await testDatabase.advance(60_000);
  await createClaims(database.pool).firstAttempts(1);

  const response = await fetch(`${url}/metrics`);
  t.is(response.status, 200);
  const text = await response.text();
  const value = (name: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(name))
        ?.split(' ')[1],
    );
  t.is(value('gatehouse_delivery_attempts_total{outcome="succeeded"}'), 1);
  t.is(value('gatehouse_delivery_attempts_total{outcome="timeout"}'), 2);
  t.is(value('gatehouse_outbox_waiting{priority="1"}'), 1);
  t.true(value('gatehouse_outbox_oldest_seconds{priority="1"}') >= 60);
  t.is(value('gatehouse_outbox_waiting{priority="3"}'), 0);
  t.is(value('gatehouse_outbox_dead_lettered'), 0);
  t.is(value('gatehouse_alerts_open{kind="clearing_stuck"}'), 2);
  t.is(value('gatehouse_alerts_open{kind="event_dead_lettered"}'), 0);
  t.is(value('gatehouse_deliveries_dead'), 3);
  t.is(value('gatehouse_deliveries_under_way'), 1);
  t.true(value('gatehouse_delivery_retry_overdue_seconds') >= 61);
  t.true(value('gatehouse_delivery_first_attempt_overdue_seconds') >= 61);
  t.is(value('gatehouse_ledger_unbalanced_currencies'), 0);
  t.is(value('gatehouse_ledger_check_age_seconds'), -1);
  t.is((await fetch(url)).status, 404);
});

test('deliveries whose dispatcher died are not under way, and are overdue', async (t) => {
  const { testDatabase, database, close } = await openTestDatabase();
  t.teardown(close);
  await addBacklog(testDatabase, { count: 1 });
  await createClaims(database.pool).firstAttempts(1);
  const leased = await readDeliveryHealth(database.pool);
  t.is(leased.underWay, 1);
  t.is(leased.oldestFirstAttemptS, 0);
  await testDatabase.advance(60_000);
  const abandoned = await readDeliveryHealth(database.pool);
  t.is(abandoned.underWay, 0);
  t.true(abandoned.oldestFirstAttemptS >= 61);
});
