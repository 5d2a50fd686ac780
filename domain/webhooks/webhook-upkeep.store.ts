import { rows, type EntityManager } from '../platform/database.ts';

const BATCH = 1_000;

// By product, along the index of its list: nothing else is needed to find what is old.
const REMOVE_DELIVERIES = `
  with old as materialized (
    select d.id from product p cross join lateral (
      select id from delivery
      where product_id = p.id and created_at <= gatehouse_now() - interval '90 days'
        and (status = 'held' or finished_at <= gatehouse_now() - interval '90 days')
      order by created_at, id limit ${BATCH} for update skip locked
    ) d limit ${BATCH}
  ),
  attempts as (delete from attempt where delivery_id in (select id from old)),
  leases as (delete from delivery_lease where delivery_id in (select id from old))
  delete from delivery where id in (select id from old) returning 1`;

const REMOVE_EVENTS = `
  delete from event where id in (
    select e.id from product p cross join lateral (
      select id from event
      where product_id = p.id and created_at <= gatehouse_now() - interval '90 days'
        and not exists (select from delivery d where d.event_id = event.id)
      order by created_at, id limit ${BATCH}
    ) e limit ${BATCH}
  ) returning 1`;

/** Deliveries that are over, or held for nobody, with their attempts and bytes; true where more wait. */
export async function removeOldDeliveries(em: EntityManager): Promise<boolean> {
  return (await rows(em, REMOVE_DELIVERIES)).length === BATCH;
}

/** Events whose deliveries are gone; true where more wait. */
export async function removeOldEvents(em: EntityManager): Promise<boolean> {
  return (await rows(em, REMOVE_EVENTS)).length === BATCH;
}
