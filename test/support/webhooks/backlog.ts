import { newUuid } from '../../../domain/shared/ids.ts';
import type { TestDatabase } from '../engines/database.ts';
import { addProduct } from '../catalog/scene.ts';

/** An endpoint with so many deliveries, made one second after the other, the last a second ago. */
export async function addBacklog(
  { query }: Pick<TestDatabase, 'query'>,
  { count, status = 'pending', ownerId }: { count: number; status?: string; ownerId?: string },
): Promise<string> {
  const { productId } = await addProduct({ query } as TestDatabase);
  if (ownerId !== undefined) {
    await query('update product set owner_person_id = $2 where id = $1', [productId, ownerId]);
  }
  const endpointId = newUuid();
  await query(
    `insert into webhook_endpoint (id, product_id, slot, url, events, encrypted_secret)
     values ($1, $2, 1, 'https://hooks.example/', '{}', 'encrypted')`,
    [endpointId, productId],
  );
  await query(
    `with made as (
       insert into event (id, product_id, name, data, created_at)
       select time_ordered_id(), $1, 'purchase.completed', '{}', gatehouse_now()
       from generate_series(1, $3) returning id
     ),
     told as (
       insert into delivery (id, event_id, endpoint_id, product_id, event_name, body, created_at)
       select first_id('text', gatehouse_now()) || upper(left(md5(id::text), 16)), id, $2, $1, 'purchase.completed', '\\x7b7d', gatehouse_now() from made
       returning *
     )
     insert into delivery_state (delivery_id, endpoint_id, product_id, status, step, due_at, created_at)
     select id, endpoint_id, product_id, $4, case when $4 in ('retrying', 'dead') then 1 else 0 end,
       gatehouse_now() - row_number() over () * interval '1 second', created_at
     from told`,
    [productId, endpointId, count, status],
  );
  return endpointId;
}

/** What a test leaves open would come due, each with a workflow of its own, in the months of later ones. */
export async function cancelOpenDeliveries(
  { query }: Pick<TestDatabase, 'query'>,
  productId: string,
): Promise<void> {
  await query(
    `update delivery_state
     set status = 'cancelled', due_at = null, finished_at = gatehouse_now()
     where product_id = $1 and status in ('pending', 'retrying')`,
    [productId],
  );
}
