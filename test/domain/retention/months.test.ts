import test from 'ava';
import { removeHandledEvents } from '../../../domain/billing/billing-upkeep.repository.ts';
import { newUuid } from '../../../domain/shared/ids.ts';
import {
  checkMonthsAhead,
  countMonthsAhead,
  dropPart,
  makeParts,
} from '../../../domain/retention/months.repository.ts';
import { openTestDatabase } from '../../support/engines/database.ts';

const { testDatabase, database, close } = await openTestDatabase();
const { query, advance } = testDatabase;
test.after.always(() => close());

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
  while (await database.transaction(dropPart)) dropped += 1;
  return dropped;
};

test.serial('three months are made ahead, once', async (t) => {
  t.is(await countMonthsAhead(database.em()), 3);
  t.is(await database.transaction(makeParts), 0);
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
  t.is(await database.transaction(makeParts), 3);
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
