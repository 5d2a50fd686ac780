import test from 'ava';
import { closeDeliveries } from '../../../domain/webhooks/endpoints/endpoint-closing.query.ts';
import { addBacklog } from '../../support/webhooks/backlog.ts';
import { openTestDatabase } from '../../support/engines/database.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);

async function settle(): Promise<void> {
  while ((await closeDeliveries(database.pool)) > 0);
}

test('an endpoint that was disabled is settled again when it is deleted, however soon after', async (t) => {
  const endpointId = await addBacklog(testDatabase, { count: 2 });
  const statuses = async () => {
    const rows = await testDatabase.query<{ status: string }>(
      'select status from delivery_state where endpoint_id = $1',
      [endpointId],
    );
    return rows.map(({ status }) => status);
  };
  await testDatabase.query(
    'update webhook_endpoint set disabled_at = gatehouse_now() where id = $1',
    [endpointId],
  );
  await settle();
  t.deepEqual(await statuses(), ['held', 'held']);
  await testDatabase.query(
    `update webhook_endpoint set deleted_at = disabled_at + interval '1 millisecond' where id = $1`,
    [endpointId],
  );
  await settle();
  t.deepEqual(await statuses(), ['cancelled', 'cancelled']);
});
