import test from 'ava';
import { createRetentionActivities } from '../../activities/retention.activities.ts';
import type { Services } from '../../activities/index.ts';
import { openTestDatabase } from '../support/database.ts';
import { createDeliveryRows } from '../support/delivery-rows.ts';
import { addProduct } from '../support/scene.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(() => close());
const rows = createDeliveryRows(testDatabase);
const { query } = testDatabase;
const DAY = 1_440;

test('what is old is removed in batches, what is not, or is still under way, stays', async (t) => {
  const { productId, personId } = await addProduct(testDatabase);
  const [endpoint] = await query<{ id: string }>(
    `insert into webhook_endpoint (id, product_id, slot, url, events, sealed_secret)
     values (gen_random_uuid(), $1, 1, 'https://hooks.example/', '{}', '') returning id`,
    [productId],
  );
  const made = { productId, endpointId: endpoint!.id };
  const kept: string[] = [];
  for (const status of ['succeeded', 'dead', 'held', 'cancelled'] as const) {
    const old = await rows.delivery({ ...made, status, minutesAgo: 91 * DAY });
    await rows.attempt({ deliveryId: old, step: 0, minutesAgo: 91 * DAY });
    kept.push(await rows.delivery({ ...made, status, minutesAgo: 89 * DAY }));
  }
  for (const status of ['pending', 'retrying'] as const) {
    kept.push(await rows.delivery({ ...made, status, minutesAgo: 91 * DAY }));
  }
  await rows.attempt({ deliveryId: kept[0]!, step: 0 });
  // Recovered lately: it is as young as its end.
  const late = await rows.delivery({ ...made, status: 'succeeded', minutesAgo: 91 * DAY });
  await rows.attempt({ deliveryId: late, step: 0 });
  kept.push(late);
  await query(
    `insert into outbox (workflow_type, workflow_id, message, sent_at, parked_at)
     select 'sendMail', name, '{}', sent, parked from (values
       ('sent long ago', now() - interval '8 days', null), ('sent', now() - interval '6 days', null),
       ('unsent', null, null), ('parked', null, now() - interval '60 days')) g (name, sent, parked)`,
  );
  await query(
    `insert into processor_event (processor, id, type, body, handled_at, parked_reason)
     select 'stripe', name, 'x', '{}', handled, parked from (values
       ('old', now() - interval '91 days', null), ('young', now() - interval '89 days', null),
       ('open', null, null), ('parked', null, 'odd')) g (name, handled, parked)`,
  );
  await query(
    `insert into click (id, product_id, source, created_at)
     select gen_random_uuid(), $1, name, now() - age from (values
       ('old', interval '401 days'), ('young', interval '399 days')) g (name, age)`,
    [productId],
  );
  await query(
    `with told as (
       insert into notification (id, kind, person_id, created_at)
       select gen_random_uuid(), name, $1, now() - age from (values
         ('old', interval '401 days'), ('young', interval '399 days')) g (name, age) returning id
     ) insert into notification_read (notification_id, person_id) select id, $1 from told`,
    [personId],
  );
  // More than one batch of the largest.
  await query(
    `with made as (
       insert into event (id, product_id, name, data, created_at)
       select gen_random_uuid(), $1, 'bulk', '{}', now() - interval '100 days'
       from generate_series(1, 2500) returning id, created_at
     )
     insert into delivery (id, event_id, endpoint_id, product_id, event_name, body, created_at)
     select 'evt_' || id, id, $2, $1, 'bulk', '', created_at from made`,
    [productId, endpoint!.id],
  );
  await createRetentionActivities({ database } as Services).removeOldRecords();

  const names = async (sql: string) => (await query<{ name: string }>(sql)).map(({ name }) => name);
  t.deepEqual((await names('select id as name from delivery')).toSorted(), kept.toSorted());
  const attempted = 'select delivery_id as name from attempt';
  t.deepEqual((await names(attempted)).toSorted(), [kept[0]!, late].toSorted());
  t.is((await query('select 1 from event')).length, kept.length);
  t.deepEqual(await names('select workflow_id as name from outbox order by id'), [
    'sent',
    'unsent',
    'parked',
  ]);
  t.deepEqual(await names('select id as name from processor_event order by id'), [
    'open',
    'parked',
    'young',
  ]);
  t.deepEqual(await names('select source as name from click'), ['young']);
  t.deepEqual(await names('select kind as name from notification'), ['young']);
});
