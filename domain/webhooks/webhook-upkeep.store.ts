import { rows, type EntityManager } from '../platform/database.ts';

const BATCH = 1_000;

const LONG_AGO = `gatehouse_now() - interval '90 days'`;

// By product, along the index of its list: nothing else is needed to find what is old. A state that was
// there decides at the moment at which it goes: somebody may have asked for a retry.
const REMOVE_DELIVERIES = `
  with found as materialized (
    select d.* from product p cross join lateral (
      select id, delivery.endpoint_id, status is not null as has_state from delivery
      left join delivery_state s on s.delivery_id = id
      where delivery.product_id = p.id and delivery.created_at <= ${LONG_AGO}
        and case when status is null then not exists (
            select from attempt where delivery_id = id and started_at > ${LONG_AGO})
          else status = 'held' or finished_at <= ${LONG_AGO} end
      order by delivery.created_at, id limit ${BATCH} for update of delivery skip locked
    ) d limit ${BATCH}
  ),
  ended as (
    delete from delivery_state where delivery_id in (select id from found)
      and (status = 'held' or finished_at <= ${LONG_AGO})
    returning delivery_id
  ),
  old as materialized (
    select id, endpoint_id from found where not has_state or id in (select delivery_id from ended)
  ),
  attempts as (delete from attempt where delivery_id in (select id from old)),
  leases as (
    delete from delivery_lease l using old
    where l.endpoint_id = old.endpoint_id and l.delivery_id = old.id
  )
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
