import test from 'ava';
import { createRetentionActivities } from '../../../activities/retention.activities.ts';
import type { Services } from '../../../activities/services.ts';
import { newUuid } from '../../../domain/shared/ids.ts';
import { DELIVERY_STATUSES } from '../../../domain/webhooks/deliveries/delivery.entity.ts';
import { SCHEDULES } from '../../../workflows/contracts.ts';
import { openTestDatabase } from '../../support/engines/database.ts';
import { createDeliveryRows } from '../../support/webhooks/delivery-rows.ts';
import { removeHandledEvents } from '../../../domain/billing/processor-inbox/covered-events.repository.ts';
import {
  checkMonthsAhead,
  countMonthsAhead,
  dropPartition,
  makePartitions,
} from '../../../domain/retention/partitions.repository.ts';

const { testDatabase, database, close } = await openTestDatabase();
const { query, advance } = testDatabase;
const rows = createDeliveryRows(testDatabase);
test.after.always(() => close());

const logged: unknown[] = [];
const logger = { error: (fields: unknown) => void logged.push(fields) };
const { checkReferences } = createRetentionActivities({ database, logger } as unknown as Services);

const open = () =>
  query<{ subject: string }>(
    `select subject from alert where kind = 'reference_broken' and resolved_at is null order by 1`,
  );

test.serial(
  'references into tables kept by month are looked at each night, and broken ones raise an alert',
  async (t) => {
    t.like(
      SCHEDULES.find(({ workflowType }) => workflowType === 'referenceCheck'),
      { atHour: 4 },
    );
    const made = { productId: newUuid(), endpointId: newUuid() };
    for (const status of DELIVERY_STATUSES) {
      const deliveryId = await rows.delivery({ ...made, status });
      await rows.attempt({ deliveryId, step: 0 });
    }
    t.deepEqual(await checkReferences(), {});
    t.deepEqual([await open(), logged], [[], []]);

    await query(`delete from event where id = (select event_id from delivery limit 1)`);
    await query(
      `delete from delivery where id in (select delivery_id from delivery_state limit 2)`,
    );
    await query(`insert into audit_address values (time_ordered_id(), '192.0.2.1')`);
    await query(
      `insert into processor_event (processor, id, type) values ('stripe', 'evt_bare', 'x')`,
    );
    await query(
      `insert into delivery_lease (endpoint_id, delivery_id, owner_id, token, until)
       select $1, 'dlv_bare', $1, $1, gatehouse_now()`,
      [newUuid()],
    );
    await query(
      `insert into pre_session (token_hash, click_id, expires_at)
       values ('a', null, gatehouse_now()), ('b', time_ordered_id(), gatehouse_now())`,
    );
    const broken = await checkReferences();
    t.is(broken['deliveryState without delivery'], 2);
    t.is(broken['attempt without delivery'], 2);
    t.is(broken['auditAddress without audit'], 1);
    t.is(broken['processorEvent without processorEventBody'], 1);
    t.is(broken['deliveryLease without delivery'], 1);
    t.is(broken['preSession without click'], 1);
    t.true(logged.length === 1 && (await open()).length >= 3);

    await query('delete from audit_address');
    await checkReferences();
    const subjects = (await open()).map(({ subject }) => subject);
    t.false(subjects.includes('auditAddress without audit'));
    t.true(subjects.includes('attempt without delivery'));
  },
);

const DAY_MS = 86_400_000;

const monthsOf = async (table: string) =>
  (
    await query<{ part: string }>(
      `select relname as part from pg_inherits join pg_class on oid = inhrelid
       where inhparent = $1::regclass order by 1`,
      [table],
    )
  ).map(({ part }) => part);

const drop = async () => {
  let dropped = 0;
  while (await database.transaction(dropPartition)) dropped += 1;
  return dropped;
};

test.serial('three months are made ahead, once', async (t) => {
  t.is(await countMonthsAhead(database.em()), 3);
  t.is(await database.transaction(makePartitions), 0);
  t.is((await monthsOf('click')).length, 5, 'the last month and this one too');
});

test.serial('an alert is open for as long as the next month is missing', async (t) => {
  const openAlerts = async () => {
    await database.transaction(checkMonthsAhead);
    return query(`select detail from alert where kind = 'months_missing' and resolved_at is null`);
  };
  t.deepEqual(await openAlerts(), []);
  for (const part of (await monthsOf('click')).toSorted().slice(2)) {
    await query(`drop table partitions.${part}`);
  }
  t.deepEqual(await openAlerts(), [{ detail: { ahead: 0 } }]);
  t.is(await database.transaction(makePartitions), 3);
  t.deepEqual(await openAlerts(), []);
});

test.serial(
  'the first id of a month is the first in its part, the last one before is not',
  async (t) => {
    const [bounds] = await query<Record<string, string>>(
      `select first_id('uuid', '2026-12-01T00:00:00Z') as uuid, first_id('text', '2026-12-01T00:00:00Z') as ulid`,
    );
    const at = Date.parse('2026-12-01T00:00:00Z');
    t.is(bounds!['uuid']!.replaceAll('-', '').slice(0, 12), at.toString(16).padStart(12, '0'));
    t.true(newUuid(at) > bounds!['uuid']!);
    t.true(newUuid(at - 1) < bounds!['uuid']!);
    t.is(bounds!['ulid'], `evt_${encode(at)}`);
  },
);

test.serial('a month is dropped when its last row is over, and not a day before', async (t) => {
  const [first] = await query<{ end: Date }>(
    `select date_trunc('month', gatehouse_now(), 'UTC') + interval '1 month 400 days' as end`,
  );
  const [now] = await query<{ now: Date }>('select gatehouse_now() as now');
  const product = newUuid();
  const click = () =>
    query(`insert into click (id, product_id, source) values (time_ordered_id(), $1, 'buy-link')`, [
      product,
    ]);
  await click();
  await advance(first!.end.getTime() - now!.now.getTime() - DAY_MS);
  await drop();
  t.is((await query('select from click')).length, 1);
  await advance(2 * DAY_MS);
  await click();
  await drop();
  t.is((await query('select from click')).length, 1, 'the young one');
  t.is(await drop(), 0);
});

test.serial('the bodies of a month stay for as long as one of its events waits', async (t) => {
  const [next] = await query<{ at: Date; now: Date }>(
    `select date_trunc('month', gatehouse_now(), 'UTC') + interval '32 days' as at, gatehouse_now() as now`,
  );
  await advance(next!.at.getTime() - next!.now.getTime());
  await query(
    `with events as (
       insert into processor_event (processor, id, type, handled_at) values
         ('stripe', 'evt_handled', 'x', gatehouse_now()), ('stripe', 'evt_waiting', 'x', null)
       returning body_id)
     insert into processor_event_body select body_id, '{}' from events`,
  );
  await advance(32 * DAY_MS);
  await query(
    `with event as (
       insert into processor_event (processor, id, type, handled_at)
         values ('stripe', 'evt_later', 'x', gatehouse_now()) returning body_id)
     insert into processor_event_body select body_id, '{}' from event`,
  );
  await advance(130 * DAY_MS);
  await database.transaction(removeHandledEvents);
  await drop();
  t.is((await query('select from processor_event_body')).length, 2, 'the later month is gone');
  await query(`update processor_event set handled_at = gatehouse_now() - interval '90 days'`);
  await database.transaction(removeHandledEvents);
  await drop();
  t.is((await query('select from processor_event_body')).length, 0);
});

test.serial('a statement that reads a month is not waited for', async (t) => {
  await advance(500 * DAY_MS);
  const reader = await database.pool.connect();
  try {
    await reader.query('begin');
    await reader.query('select from click limit 1');
    const started = performance.now();
    await t.throwsAsync(drop(), { message: /lock timeout/ });
    t.true(performance.now() - started < 1_500);
  } finally {
    await reader.query('rollback');
    reader.release();
  }
  t.true((await drop()) > 0);
});

function encode(at: number): string {
  const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  let text = '';
  for (let rest = at, place = 0; place < 10; place += 1) {
    text = digits[rest % 32]! + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}
