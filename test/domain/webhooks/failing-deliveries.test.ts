import test from 'ava';
import { countFailingDeliveries } from '../../../domain/webhooks/deliveries/failing-deliveries.repository.ts';
import { addBacklog } from '../../support/webhooks/backlog.ts';
import { openTestDatabase } from '../../support/engines/database.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);

const NONE = { dead: 0, retrying: 0, held: 0 };

test('failing deliveries are counted by product and status, of all products or of some', async (t) => {
  const productOf = async (endpointId: string) => {
    const sql = 'select product_id as id from webhook_endpoint where id = $1';
    const [product] = await testDatabase.query<{ id: string }>(sql, [endpointId]);
    return product!.id;
  };
  const dead = await productOf(await addBacklog(testDatabase, { count: 3, status: 'dead' }));
  const retrying = await productOf(
    await addBacklog(testDatabase, { count: 2, status: 'retrying' }),
  );
  const held = await productOf(await addBacklog(testDatabase, { count: 1, status: 'held' }));
  const alsoDead = await productOf(await addBacklog(testDatabase, { count: 1, status: 'dead' }));
  await addBacklog(testDatabase, { count: 4 });
  const count = async (productIds: string[] | null) => {
    const found = await countFailingDeliveries(database.em(), productIds);
    return Object.fromEntries(found.map(({ productId, ...failing }) => [productId, failing]));
  };
  t.deepEqual(await count(null), {
    [dead]: { ...NONE, dead: 3 },
    [retrying]: { ...NONE, retrying: 2 },
    [held]: { ...NONE, held: 1 },
    [alsoDead]: { ...NONE, dead: 1 },
  });
  t.deepEqual(await count([held]), { [held]: { ...NONE, held: 1 } });
  t.deepEqual(await count([]), {});
});
