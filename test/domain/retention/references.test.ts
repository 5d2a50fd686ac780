import test from 'ava';
import { createRetentionActivities } from '../../../activities/retention.activities.ts';
import type { Services } from '../../../activities/index.ts';
import { newUuid } from '../../../domain/shared/ids.ts';
import { DELIVERY_STATUSES } from '../../../domain/webhooks/deliveries/delivery.entity.ts';
import { SCHEDULES } from '../../../workflows/contracts.ts';
import { openTestDatabase } from '../../support/engines/database.ts';
import { createDeliveryRows } from '../../support/webhooks/delivery-rows.ts';

const { testDatabase, database, close } = await openTestDatabase();
const { query } = testDatabase;
const rows = createDeliveryRows(testDatabase);
test.after.always(() => close());

const logged: unknown[] = [];
const logger = { error: (fields: unknown) => void logged.push(fields) };
const { checkReferences } = createRetentionActivities({ database, logger } as unknown as Services);

const open = () =>
  query<{ subject: string }>(
    `select subject from alert where kind = 'reference_broken' and resolved_at is null order by 1`,
  );

test('references into tables kept by month are looked at each night, and broken ones raise an alert', async (t) => {
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
  await query(`delete from delivery where id in (select delivery_id from delivery_state limit 2)`);
  await query(`insert into audit_address values (time_ordered_id(), '192.0.2.1')`);
  await query(
    `insert into processor_event (processor, id, type) values ('stripe', 'evt_bare', 'x')`,
  );
  const broken = await checkReferences();
  t.is(broken['deliveryState without delivery'], 2);
  t.is(broken['attempt without delivery'], 2);
  t.is(broken['auditAddress without audit'], 1);
  t.is(broken['processorEvent without processorEventBody'], 1);
  t.true(logged.length === 1 && (await open()).length >= 3);

  await query('delete from audit_address');
  await checkReferences();
  const subjects = (await open()).map(({ subject }) => subject);
  t.false(subjects.includes('auditAddress without audit'));
  t.true(subjects.includes('attempt without delivery'));
});
