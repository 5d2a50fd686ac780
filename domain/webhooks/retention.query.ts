import { rows, type EntityManager } from '../../platform/database/database.ts';

/** The limits of one statement: rows, and products in which to look for them. */
const BATCH = 1_000;
const PRODUCTS = 200;

const LONG_AGO = `gatehouse_now() - interval '90 days'`;

/** A place in the order of products and times; an instant is text, as PostgreSQL writes it. */
export type Place = { productId: string; createdAt: string; id: string };

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';
const START: Place = { productId: BEFORE_ALL, createdAt: '-infinity', id: BEFORE_ALL };

// Walks the index of a product's list. An old row that has to stay, such as a recent recovery, is
// passed once in a run; otherwise it would be in the way of each batch.
const walk = (table: 'delivery' | 'event', idType: 'text' | 'uuid') => `
  place as (select ?::uuid as product_id, ?::timestamptz as created_at, ?::${idType} as id),
  products as materialized (
    select product.id from product, place where product.id >= product_id order by product.id limit ${PRODUCTS}
  ),
  found as materialized (
    select old.* from place cross join products p cross join lateral (
      select product_id, created_at, id from ${table}
      where product_id = p.id and created_at <= ${LONG_AGO} and (created_at, id) > (
        case when p.id = place.product_id then place.created_at else '-infinity' end, place.id)
      order by created_at, id limit ${BATCH}
    ) old
    order by p.id, old.created_at, old.id limit ${BATCH}
  )`;

// The last row of a full batch, else the end of the last of so many products.
const NEXT_PLACE = `
  select product_id as "productId", created_at::text as "createdAt", id from (
    (select product_id, created_at, id::text from found order by 1, 2, found.id offset ${BATCH - 1})
    union all
    (select id, 'infinity', '${BEFORE_ALL}' from products order by id offset ${PRODUCTS - 1})
  ) next order by product_id, created_at limit 1`;

// A state decides at the moment of its deletion: a person may have asked for a retry.
const REMOVE_DELIVERIES = `
  with ${walk('delivery', 'text')},
  over as materialized (
    select delivery.id, delivery.endpoint_id, status is not null as has_state
    from found join delivery using (id) left join delivery_state s on s.delivery_id = id
    where case when status is null then not exists (
        select from attempt where delivery_id = id and started_at > ${LONG_AGO})
      else status = 'held' or finished_at <= ${LONG_AGO} end
    for update of delivery skip locked
  ),
  ended as (
    delete from delivery_state where delivery_id in (select id from over)
      and (status = 'held' or finished_at <= ${LONG_AGO})
    returning delivery_id
  ),
  old as materialized (
    select id, endpoint_id from over where not has_state or id in (select delivery_id from ended)
  ),
  attempts as (delete from attempt where delivery_id in (select id from old)),
  leases as (
    delete from delivery_lease l using old
    where l.endpoint_id = old.endpoint_id and l.delivery_id = old.id
  ),
  removed as (delete from delivery where id in (select id from old))
  ${NEXT_PLACE}`;

const REMOVE_EVENTS = `
  with ${walk('event', 'uuid')},
  removed as (
    delete from event where id in (select id from found)
      and not exists (select from delivery d where d.event_id = event.id)
  )
  ${NEXT_PLACE}`;

/** Returns the start of the next batch; null at the end. */
export type Batch = (em: EntityManager, after: Place | null) => Promise<Place | null>;

/** Removes finished and held deliveries with their attempts and bytes. */
export const removeOldDeliveries: Batch = (em, after) => remove(em, REMOVE_DELIVERIES, after);

/** Removes events whose deliveries are gone. */
export const removeOldEvents: Batch = (em, after) => remove(em, REMOVE_EVENTS, after);

async function remove(em: EntityManager, sql: string, after: Place | null): Promise<Place | null> {
  const { productId, createdAt, id } = after ?? START;
  const [last] = await rows<Place>(em, sql, [productId, createdAt, id]);
  return last ?? null;
}
