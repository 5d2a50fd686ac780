import test from 'ava';
import { startFinishRemovedProducts } from '../../../worker/jobs/finish-removed-products.ts';
import { startCloseEndpoints } from '../../../worker/jobs/close-endpoints.ts';
import {
  closeRemovedEndpoints,
  withdrawRemoved,
} from '../../../domain/entitlements/withdraw-all-access.repository.ts';
import { createLogger } from '../../../platform/log.ts';
import { startApi } from '../../support/http/api.ts';
import { eventually } from '../../support/eventually.ts';

const api = await startApi();
const { query } = api.test;
const logger = createLogger({ name: 'test', format: 'json', level: 'silent' });
test.after.always(() => api.close());

/** A product with an endpoint, and some people with access to it. */
async function scene(people: number) {
  const product = await api.seed.product();
  const events = ['entitlement.created' as const, 'entitlement.canceled' as const];
  await api.seed.endpoint({ productId: product.id, url: 'https://hooks.example/in', events });
  const holders = [];
  for (let n = 0; n < people; n += 1) {
    const { id: personId } = await api.seed.person();
    await api.seed.grant({ productId: product.id, personId });
    holders.push(personId);
  }
  await query('delete from delivery_state where product_id = $1', [product.id]);
  return { product, holders };
}

const remove = ({ id }: { id: string }) =>
  query(`update product set state = 'removed' where id = $1`, [id]);
const eventsOf = ({ id }: { id: string }, name: string) =>
  query<{ data: { user_id: string; active: boolean; ends_at: string | null } }>(
    'select data from event where product_id = $1 and name = $2',
    [id, name],
  );
const liveEndpoints = async ({ id }: { id: string }) =>
  (await query('select 1 from webhook_endpoint where product_id = $1 and deleted_at is null', [id]))
    .length;

test.serial(
  'who has access to a removed product loses it, and the product is told of each',
  async (t) => {
    const { product, holders } = await scene(3);
    const other = await scene(1);
    await remove(product);
    t.is(await withdrawRemoved(api.database), 3);
    t.is(await withdrawRemoved(api.database), 0);
    const told = await eventsOf(product, 'entitlement.canceled');
    t.deepEqual(told.map(({ data }) => data.user_id).toSorted(), holders.toSorted());
    for (const { data } of told) {
      t.false(data.active);
      t.truthy(data.ends_at);
    }
    t.deepEqual(await eventsOf(other.product, 'entitlement.canceled'), []);
  },
);

test.serial('two workers at once tell of each person once', async (t) => {
  const { product } = await scene(8);
  await remove(product);
  await Promise.all([withdrawRemoved(api.database), withdrawRemoved(api.database)]);
  await withdrawRemoved(api.database);
  t.is((await eventsOf(product, 'entitlement.canceled')).length, 8);
});

test.serial(
  'its endpoints are closed only when its deliveries have finished their schedule',
  async (t) => {
    const { product } = await scene(1);
    await remove(product);
    t.is(await withdrawRemoved(api.database), 1);
    await withdrawRemoved(api.database);
    await closeRemovedEndpoints(api.database.em());
    t.is(await liveEndpoints(product), 1, 'the event of the removal waits to be sent');
    await query(
      `update delivery_state set status = 'retrying', due_at = now() where product_id = $1 and status = 'pending'`,
      [product.id],
    );
    await closeRemovedEndpoints(api.database.em());
    t.is(await liveEndpoints(product), 1, 'and is retried');
    await query(
      `update delivery_state set status = 'dead' where product_id = $1 and status = 'retrying'`,
      [product.id],
    );
    await closeRemovedEndpoints(api.database.em());
    t.is(await liveEndpoints(product), 0);
  },
);

test.serial('the worker does it by itself, in batches, and cancels what was held', async (t) => {
  const { product, holders } = await scene(2);
  await query('update webhook_endpoint set disabled_at = now() where product_id = $1', [
    product.id,
  ]);
  await remove(product);
  const parts = { database: api.database, logger };
  const finishing = startFinishRemovedProducts({ ...parts, pollMs: 50 });
  const closing = startCloseEndpoints(parts);
  const statuses = async () =>
    (
      await query<{ status: string }>(
        `select status from delivery_now where product_id = $1 and event_name = 'entitlement.canceled'`,
        [product.id],
      )
    ).map(({ status }) => status);
  const isDone = (all: string[]) =>
    all.length === holders.length && all.every((status) => status === 'cancelled');
  const seen = await eventually(statuses, isDone, 20_000);
  await Promise.all([finishing.stop(), closing.stop()]);
  t.deepEqual(seen, ['cancelled', 'cancelled']);
  t.is(await liveEndpoints(product), 0);
});
