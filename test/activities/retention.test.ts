import test from 'ava';
import { createRetentionActivities } from '../../activities/retention.activities.ts';
import type { Services } from '../../activities/index.ts';
import { removeOldDeliveries } from '../../domain/webhooks/retention.query.ts';
import { openTestDatabase } from '../support/engines/database.ts';
import { createDeliveryRows } from '../support/webhooks/delivery-rows.ts';
import { addProduct } from '../support/catalog/scene.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(() => close());
const rows = createDeliveryRows(testDatabase);
const { query } = testDatabase;
const DAY = 1_440;

async function addEndpoint(productId: string): Promise<string> {
  const [endpoint] = await query<{ id: string }>(
    `insert into webhook_endpoint (id, product_id, slot, url, events, sealed_secret)
     values (gen_random_uuid(), $1, 1, 'https://hooks.example/', '{}', '') returning id`,
    [productId],
  );
  return endpoint!.id;
}

/** Of each kind one that is over and some that stay. */
async function addOtherRecords({ productId, personId }: { productId: string; personId: string }) {
  await query(
    `insert into outbox (workflow_type, workflow_id, input, priority, message, sent_at, dead_lettered_at)
     select 'sendMail', name, '{}', 4, '{}', sent, refused from (values
       ('sent long ago', now() - interval '8 days', null), ('sent', now() - interval '6 days', null),
       ('unsent', null, null), ('refused', null, now() - interval '60 days')) g (name, sent, refused)`,
  );
  await query(
    `insert into processor_event (processor, id, type, body, handled_at, dead_letter_reason)
     select 'stripe', name, 'x', '{}', handled, refused from (values
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

test.serial(
  'what is old is removed in batches, what is not, or is still under way, stays',
  async (t) => {
    const { productId, personId } = await addProduct(testDatabase);
    const endpointId = await addEndpoint(productId);
    const made = { productId, endpointId };
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
    await addOtherRecords({ productId, personId });
    // More than one batch of the largest.
    await query(
      `with made as (
       insert into event (id, product_id, name, data, created_at)
       select gen_random_uuid(), $1, 'bulk', '{}', now() - interval '100 days'
       from generate_series(1, 2500) returning id, created_at
     )
     insert into delivery (id, event_id, endpoint_id, product_id, event_name, body, created_at)
     select 'evt_' || id, id, $2, $1, 'bulk', '', created_at from made`,
      [productId, endpointId],
    );
    const activities = createRetentionActivities({ database } as Services);
    t.is(await activities.removeOldDeliveries(null), null);
    t.is(await activities.removeOldEvents(null), null);
    t.false(await activities.removeOldRecords());

    const names = async (sql: string) =>
      (await query<{ name: string }>(sql)).map(({ name }) => name);
    const ofProduct = `where product_id = '${productId}'`;
    const deliveries = `select id as name from delivery ${ofProduct}`;
    t.deepEqual((await names(deliveries)).toSorted(), kept.toSorted());
    const attempted = `select delivery_id as name from attempt where delivery_id in (
    select id from delivery ${ofProduct})`;
    t.deepEqual((await names(attempted)).toSorted(), [kept[0]!, late].toSorted());
    t.is((await query(`select 1 from event ${ofProduct}`)).length, kept.length);
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
  },
);

test.serial(
  'what is old and has to stay is walked past once, whatever lies behind it goes',
  async (t) => {
    const { productId } = await addProduct(testDatabase);
    const endpointId = await addEndpoint(productId);
    // Three batches at one instant: the first half was recovered lately.
    await query(
      `with made as (
       insert into event (id, product_id, name, data, created_at)
       select gen_random_uuid(), $1, 'recovered', '{}', now() - interval '100 days'
       from generate_series(1, 3000) returning id, created_at
     ), delivered as (
       insert into delivery (id, event_id, endpoint_id, product_id, event_name, body, created_at)
       select 'evt_' || id, id, $2, $1, 'recovered', '', created_at from made returning id
     )
     insert into attempt (delivery_id, run, step, started_at, duration_ms, ip, body_start)
     select id, 1, 0, now() - case when row_number() over (order by id) <= 1500
       then interval '1 day' else interval '99 days' end, 1, '', '' from delivered`,
      [productId, endpointId],
    );
    const first = await database.transaction((em) => removeOldDeliveries(em, null));
    t.is(first?.productId, productId);
    const activities = createRetentionActivities({ database } as Services);
    t.is(await activities.removeOldDeliveries(first), null);
    t.is(await activities.removeOldEvents(null), null);

    for (const table of ['delivery', 'event']) {
      const left = await query(`select from ${table} where product_id = $1`, [productId]);
      t.is(left.length, 1_500, table);
    }
    const attempts = await query<{ age: number }>(
      `select extract(day from now() - started_at)::int as age from attempt
     where delivery_id in (select id from delivery where product_id = $1)`,
      [productId],
    );
    t.true(attempts.length === 1_500 && attempts.every(({ age }) => age === 1));
  },
);

test.serial('however many products have nothing old: behind them it is found too', async (t) => {
  const { productId, personId } = await addProduct(testDatabase);
  const addOld = (product: string, daysAgo: number, count: number) =>
    query(
      `insert into event (id, product_id, name, data, created_at)
       select gen_random_uuid(), $1, 'quiet', '{}', now() - $2 * interval '1 day'
       from generate_series(1, $3)`,
      [product, daysAgo, count],
    );
  await addOld(productId, 100, 1_200);
  await query(
    `insert into product (id, owner_person_id, name, tagline, state)
     select uuidv7(), $1, 'Quiet', '', 'listed' from generate_series(1, 450)`,
    [personId],
  );
  const last = await addProduct(testDatabase);
  // Older than where the first batch ends, in another product.
  await addOld(last.productId, 110, 3);
  await addOld(last.productId, 80, 1);
  const activities = createRetentionActivities({ database } as Services);
  t.is(await activities.removeOldEvents(null), null);
  const left = await query<{ product_id: string }>(
    `select product_id from event where name = 'quiet'`,
  );
  t.deepEqual(left, [{ product_id: last.productId }]);
});
