// Ends the deliveries of months that are dropped next.
import { drivingWorkflow } from '../outbox/workflow-targets.ts';
import { sendToWorkflows } from '../outbox/outbox.repository.ts';
import { rows, type EntityManager } from '../../platform/database/database.ts';

const BATCH = 1_000;

// A delivery that is under way is dead from now on. Its workflow has an hour to read that.
const END = `
  with kept as materialized (
    select first_id('text', date_trunc('month', gatehouse_now() - interval '90 days', 'UTC')) as since),
  old as materialized (
    select delivery_id, endpoint_id, status, finished_at, cohort from delivery_state
    where delivery_id < (select since from kept)
      and coalesce(finished_at, '-infinity') <= gatehouse_now() - interval '1 hour'
    order by delivery_id limit ${BATCH} for update skip locked),
  unleased as (
    delete from delivery_lease l using old
    where l.endpoint_id = old.endpoint_id and l.delivery_id = old.delivery_id),
  removed as (
    delete from delivery_state
    where delivery_id = any(array(
      select delivery_id from old where status not in ('pending', 'retrying')))),
  failing as materialized (
    select id from webhook_endpoint where id in (
      select endpoint_id from old where status in ('pending', 'retrying'))
    order by id for no key update),
  marked as (
    update webhook_endpoint e set last_dead_at = gatehouse_now() from failing where e.id = failing.id),
  ended as (
    update delivery_state d set status = 'dead', due_at = null, finished_at = gatehouse_now()
    where d.delivery_id = any(array(
      select delivery_id from old where status in ('pending', 'retrying'))))
  select delivery_id as "deliveryId", status, cohort from old`;

/** One batch of deliveries whose month is over; true when more may wait. */
export async function endOldDeliveries(em: EntityManager): Promise<boolean> {
  type Ended = { deliveryId: string; status: string; cohort: string | null };
  const ended = await rows<Ended>(em, END);
  const retrying = ended.filter(({ status }) => status === 'retrying');
  await sendToWorkflows(em, retrying.map(drivingWorkflow), { kind: 'too_old' });
  return ended.length === BATCH;
}
