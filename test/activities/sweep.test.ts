import pg from 'pg';
import test from 'ava';
import { createMetrics } from '../../worker/metrics.ts';
import type { Services } from '../../activities/services.ts';
import { createSweepActivities } from '../../activities/sweep/sweep.activities.ts';
import { COUNT_OVERDUE } from '../../domain/alerts/overdue.query.ts';
import { listen } from '../../platform/http-server.ts';
import { addBacklog } from '../support/webhooks/backlog.ts';
import { openTestDatabase } from '../support/engines/database.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);

const MINUTE_MS = 60_000;

const { sweepOverdue } = createSweepActivities({ database } as Services);

const messages = () =>
  testDatabase.query<{ id: string; sent_at: Date | null }>(
    `select id, sent_at from outbox where message->>'kind' = 'overdue' order by id`,
  );

const send = () => testDatabase.query('update outbox set sent_at = gatehouse_now()');

const alerts = () =>
  testDatabase.query<{ subject: string; overdue: number; is_open: boolean }>(
    `select subject, (detail->>'overdue')::int as overdue, resolved_at is null as is_open
     from alert where kind = 'work_overdue'`,
  );

test.serial(
  'what stays overdue is sent a message at each visit, and is an alert until it is over',
  async (t) => {
    const listener = await listen(createMetrics(database).handler, {
      hosts: ['127.0.0.1'],
      port: 0,
    });
    t.teardown(() => listener.close());
    const gauge = async () => {
      const text = await (await fetch(`http://127.0.0.1:${listener.port}/metrics`)).text();
      return Number(/^gatehouse_overdue\{kind="delivery",.+\} (.+)$/m.exec(text)?.[1]);
    };
    await addBacklog(testDatabase, { count: 3, status: 'retrying' });
    await testDatabase.advance(9 * MINUTE_MS);
    t.deepEqual(await sweepOverdue(), {});
    t.is(await gauge(), 0);

    await testDatabase.advance(3 * MINUTE_MS);
    t.deepEqual(await sweepOverdue(), { delivery: 3 });
    t.is(await gauge(), 3);
    t.is((await messages()).length, 3);
    await sweepOverdue();
    t.is((await messages()).length, 3, 'those of the visit before still wait to be sent');
    t.deepEqual(await alerts(), [], 'the message may help');

    await send();
    await testDatabase.advance(10 * MINUTE_MS);
    await sweepOverdue();
    t.is((await messages()).length, 6);
    t.deepEqual(await alerts(), [{ subject: 'delivery', overdue: 3, is_open: true }]);

    await testDatabase.query(`update delivery_state set status = 'dead', due_at = null`);
    t.deepEqual(await sweepOverdue(), {});
    t.is(await gauge(), 0);
    t.deepEqual(await alerts(), [{ subject: 'delivery', overdue: 3, is_open: false }]);
  },
);

test.serial('a retry that waits for its busy endpoint keeps its place, for an hour', async (t) => {
  await send();
  await addBacklog(testDatabase, { count: 1, status: 'retrying' });
  const lease = (minutes: number) =>
    testDatabase.query(
      `insert into delivery_lease (delivery_id, endpoint_id, owner_id, token, until)
       select delivery_id, endpoint_id, gen_random_uuid(), gen_random_uuid(),
         gatehouse_now() + $1 * interval '1 minute'
       from delivery_state where status = 'retrying'
       on conflict (endpoint_id, delivery_id) do update set until = excluded.until`,
      [minutes],
    );
  await lease(12);
  await testDatabase.advance(11 * MINUTE_MS);
  t.deepEqual(await sweepOverdue(), {});
  await testDatabase.advance(50 * MINUTE_MS);
  await lease(1);
  t.deepEqual(await sweepOverdue(), { delivery: 1 });
});

test.serial('a visit that finds nothing walks through indexes alone', async (t) => {
  const client = new pg.Client({ connectionString: testDatabase.url });
  await client.connect();
  t.teardown(() => client.end());
  await client.query('set enable_seqscan = off');
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${COUNT_OVERDUE}`);
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  t.deepEqual(
    [...plan.matchAll(/Seq Scan on (\w+)/g)].map(([, table]) => table),
    [],
  );
  for (const index of ['delivery_state_retry', 'entitlement_recheck', 'mail_token_queued']) {
    t.true(plan.includes(index), index);
  }
});
