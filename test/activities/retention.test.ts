import test from 'ava';
import { createDeliveryActivities } from '../../activities/webhooks/delivery.activities.ts';
import { createRetentionActivities } from '../../activities/retention.activities.ts';
import type { Services } from '../../activities/services.ts';
import { deliveryIdOf, newUuid } from '../../domain/shared/ids.ts';
import { DELIVERY_STATUSES } from '../../domain/webhooks/deliveries/delivery.entity.ts';
import { openTestDatabase } from '../support/engines/database.ts';
import { createDeliveryRows } from '../support/webhooks/delivery-rows.ts';
import { addProduct } from '../support/catalog/scene.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(() => close());
const rows = createDeliveryRows(testDatabase);
const { query } = testDatabase;
const DAY_MS = 86_400_000;

async function addEndpoint(productId: string): Promise<string> {
  const [endpoint] = await query<{ id: string }>(
    `insert into webhook_endpoint (id, product_id, slot, url, events, encrypted_secret)
     values (gen_random_uuid(), $1, 1, 'https://hooks.example/', '{}', '') returning id`,
    [productId],
  );
  return endpoint!.id;
}

/** Of each kind one that is over and some that stay. */
async function addOtherRecords({ personId }: { personId: string }) {
  await query(
    `insert into outbox (workflow_type, workflow_id, input, priority, message, sent_at, dead_lettered_at)
     select 'sendMail', name, '{}', 4, '{}', sent, refused from (values
       ('sent long ago', now() - interval '8 days', null), ('sent', now() - interval '6 days', null),
       ('unsent', null, null), ('refused', null, now() - interval '60 days')) g (name, sent, refused)`,
  );
  await query(
    `insert into processor_event (processor, id, type, handled_at, dead_letter_reason)
     select 'stripe', name, 'x', handled, refused from (values
       ('old', now() - interval '91 days', null), ('young', now() - interval '89 days', null),
       ('open', null, null), ('refused', null, 'odd')) g (name, handled, refused)`,
  );
  await query(
    `with told as (
       insert into notification (id, kind, person_id, created_at)
       select gen_random_uuid(), name, $1, now() - age from (values
         ('old', interval '401 days'), ('young', interval '399 days')) g (name, age) returning id
     ) insert into notification_read (notification_id, person_id) select id, $1 from told`,
    [personId],
  );
}

const activities = createRetentionActivities({ database } as Services);
const names = async (sql: string) => (await query<{ name: string }>(sql)).map(({ name }) => name);

test.serial('what is old is removed, what is not stays', async (t) => {
  await addOtherRecords(await addProduct(testDatabase));
  t.false(await activities.removeOldRecords());
  t.deepEqual(await names('select workflow_id as name from outbox order by id'), [
    'sent',
    'unsent',
    'refused',
  ]);
  t.deepEqual(await names('select id as name from processor_event order by id'), [
    'open',
    'refused',
    'young',
  ]);
  t.deepEqual(await names('select kind as name from notification'), ['young']);
});

test.serial(
  'a kind of record that cannot be removed keeps no other from being removed',
  async (t) => {
    await query('delete from outbox');
    await query('delete from notification_read');
    await query('delete from notification');
    await query('delete from processor_event');
    await addOtherRecords(await addProduct(testDatabase));
    await query(
      `create function refuse_removal() returns trigger language plpgsql
     as $$ begin raise exception 'it stays'; end $$`,
    );
    await query(
      `create trigger refuse_removal before delete on outbox
     for each row execute function refuse_removal()`,
    );
    await t.throwsAsync(activities.removeOldRecords(), { message: /it stays/ });
    await query('drop trigger refuse_removal on outbox');
    await query('drop function refuse_removal');
    t.true((await names('select workflow_id as name from outbox')).includes('sent long ago'));
    t.deepEqual(await names('select kind as name from notification'), ['young']);
  },
);

test.serial('a picture that no product shows goes when it was kept long enough', async (t) => {
  const { productId } = await addProduct(testDatabase);
  const hashOf = (digit: string) => digit.repeat(32);
  await query(
    `insert into image (hash, other_hash, width, bytes, remove_after, taken_down_at)
     select repeat(digit, 32), repeat('f', 32), width, bytes::bytea, now() - age, down from (values
       ('a', 'x', interval '1 hour', null), ('b', 'x', interval '-1 hour', null),
       ('c', 'x', interval '1 hour', null), ('d', 'x', null, null),
       ('e', null, null, now() - interval '60 days')) g (digit, bytes, age, down)
     cross join (values (1600), (640), (256)) w (width)`,
  );
  await query(
    `insert into product_image (product_id, position, kind, hash, alt)
     values ($1, 0, 'icon', $2, '')`,
    [productId, hashOf('c')],
  );
  t.false(await activities.removeOldRecords());
  t.deepEqual(
    await names('select distinct hash as name from image order by 1'),
    ['b', 'c', 'd', 'e'].map(hashOf),
    'what is young, shown or in use stays, and so does the hash of a picture taken down',
  );
});

test.serial('messages that wait for an operator keep no sent one from going', async (t) => {
  await query('delete from outbox');
  await query(
    `insert into outbox (workflow_type, workflow_id, input, priority, message, sent_at, dead_lettered_at)
     select 'sendMail', n, '{}', 4, '{}', case when n > 10000 then now() - interval '8 days' end,
       case when n <= 10000 then now() end from generate_series(1, 10001) n`,
  );
  await activities.removeOldRecords();
  t.is((await query('select from outbox')).length, 10_000);
  await query('delete from outbox');
});

test.serial('a delivery that went with its month ends its workflow', async (t) => {
  const { readDelivery } = createDeliveryActivities({ database } as Services);
  const error = await t.throwsAsync(readDelivery({ deliveryId: 'evt_gone' }));
  t.like(error, { type: 'DeliveryGone', nonRetryable: true });
});

test.serial('deliveries go with their month, one under way is dead before that', async (t) => {
  // With statistics the planner reads the names of all tables first: none is taken for a month or a day.
  await query('vacuum analyze');
  const { productId } = await addProduct(testDatabase);
  const endpointId = await addEndpoint(productId);
  const made = { productId, endpointId };
  const add = async () => {
    const ids: string[] = [];
    for (const status of DELIVERY_STATUSES) {
      const deliveryId = await rows.delivery({ ...made, status });
      await rows.attempt({ deliveryId, step: 0 });
      ids.push(deliveryId);
    }
    return ids;
  };
  const left = async () => ({
    deliveries: await names(`select id as name from delivery order by id`),
    attempts: await names(`select delivery_id as name from attempt order by 1`),
    events: (await query('select from event')).length,
    states: (await names(`select status as name from delivery_state`)).toSorted(),
  });
  const old = await add();
  await testDatabase.advance(89 * DAY_MS);
  await activities.removeOldRecords();
  t.is((await left()).states.length, 5, 'not a day before');
  await testDatabase.advance(33 * DAY_MS);
  const young = await add();
  const states = DELIVERY_STATUSES.filter((status) => status !== 'succeeded');

  await query('delete from outbox');
  await activities.removeOldRecords();
  const all = [...old, ...young].toSorted();
  t.deepEqual(await left(), {
    deliveries: all,
    attempts: all,
    events: all.length,
    states: [...states, 'dead', 'dead'].toSorted(),
  });
  const retrying = old[DELIVERY_STATUSES.indexOf('retrying')]!;
  t.deepEqual(await names('select workflow_id as name from outbox'), [`delivery:${retrying}`]);
  const [endpoint] = await query<{ isDead: boolean }>(
    `select last_dead_at > gatehouse_now() - interval '1 minute' as "isDead"
     from webhook_endpoint where id = $1`,
    [endpointId],
  );
  t.true(endpoint!.isDead, 'its product is told of it as of any other death');

  await testDatabase.advance(61 * 60_000);
  await activities.removeOldRecords();
  t.deepEqual(await left(), {
    deliveries: young.toSorted(),
    attempts: young.toSorted(),
    events: young.length,
    states: states.toSorted(),
  });
});

test.serial('the end of a delivery that a cohort drives is a message to the cohort', async (t) => {
  const { productId } = await addProduct(testDatabase);
  const endpointId = await addEndpoint(productId);
  const deliveryId = await rows.delivery({ productId, endpointId, status: 'retrying' });
  const cohort = `deliveries:${endpointId}:2026-01-01T00:00Z`;
  await query('update delivery_state set cohort = $2 where delivery_id = $1', [deliveryId, cohort]);
  await testDatabase.advance(122 * DAY_MS);
  await query('delete from outbox');
  await activities.removeOldRecords();
  t.true((await names('select workflow_id as name from outbox')).includes(cohort));
});

test.serial(
  'a pair of event and endpoint has one delivery, also at the turn of a month',
  async (t) => {
    const { productId } = await addProduct(testDatabase);
    const endpointId = await addEndpoint(productId);
    const [clock] = await query<{ next: Date }>(
      `select date_trunc('month', gatehouse_now(), 'UTC') + interval '1 month' as next`,
    );
    const deliver = (pair: { eventId: string; endpointId: string }) =>
      query(
        `insert into delivery (id, event_id, endpoint_id, product_id, event_name, body, created_at)
       values ($1, $2, $3, $4, 'purchase.completed', '', gatehouse_now())`,
        [deliveryIdOf(pair), pair.eventId, pair.endpointId, productId],
      );
    const partOf = async (eventId: string) =>
      (
        await query<{ part: string }>(
          'select tableoid::regclass::text as part from delivery where event_id = $1',
          [eventId],
        )
      ).map(({ part }) => part.slice(-7));
    const next = clock!.next.getTime();
    const parts: string[] = [];
    for (const at of [next - 1, next]) {
      const eventId = newUuid(at);
      await deliver({ eventId, endpointId });
      await testDatabase.advance(at - next + 2);
      await t.throwsAsync(deliver({ eventId, endpointId }), { code: '23505' });
      await deliver({ eventId, endpointId: newUuid() });
      const found = await partOf(eventId);
      t.is(found.length, 2);
      parts.push(...found);
    }
    const month = (at: number) => new Date(at).toISOString().slice(0, 7).replace('-', '_');
    t.deepEqual(parts, [month(next - 1), month(next - 1), month(next), month(next)]);
  },
);

test.serial('once a day of usage is summed, deleted accounts leave their evidence', async (t) => {
  await activities.removeOldRecords();
  const { productId, personId } = await addProduct(testDatabase);
  await query(`update person set deleted_at = gatehouse_now() - interval '62 days' where id = $1`, [
    personId,
  ]);
  const use = (monthsBefore: number) =>
    query(
      `insert into usage_month (person_id, product_id, month, first_at, last_at, session_days,
         heartbeat_days, activity_days, profile_read_days, key_days, qualifying_days)
       select $1, $2, date_trunc('month', at), at, at, 0, 0, 1, 0, 0, 1
       from (select date_trunc('month', gatehouse_now() at time zone 'UTC')
         - make_interval(months => $3) as at) clock`,
      [personId, productId, monthsBefore],
    );
  const kept = async () =>
    (await query('select from usage_month where person_id = $1', [personId])).length;
  await use(3);
  while (await activities.sumUsage());
  t.is(await kept(), 0);
  const sums = await query('select people from usage_month_sum where product_id = $1', [productId]);
  t.deepEqual(sums, [{ people: 1 }]);
  await use(2);
  t.false(await activities.sumUsage());
  t.is(await kept(), 1, 'the rest of the day does not look for them again');
});
