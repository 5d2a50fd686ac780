import { toArrayParameter } from '../../../platform/database/array-parameter.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { RECEIVED } from '../purchases/received-statuses.ts';
import {
  PAYMENT_NOT_RECEIVED,
  RETURN_EVENTS,
  SUBSCRIPTION_EVENTS,
  UNKNOWN_PURCHASE,
} from './event-type.ts';
import { tellActor, type Meant } from './inbox.repository.ts';

// An event names its purchase or membership, or a payment or a subscription of it, in its metadata
// or as its object.
export const NAMED = `
  select coalesce(p.id, y.purchase_id, s.purchase_id) as purchase_id,
    coalesce(m.id, y.membership_id) as membership_id
  from (select 1) one
  left join purchase p on p.id = e.body #>> '{data,object,metadata,purchase_id}'
  left join payment y on y.processor_id in (
    e.body #>> '{data,object,payment_intent}', e.body #>> '{data,object,id}')
  left join subscription s on s.processor_id in (e.body #>> '{data,object,id}',
    e.body #>> '{data,object,parent,subscription_details,subscription}')
  left join membership m on m.id::text = e.body #>> '{data,object,metadata,membership_id}'
    or m.processor_id in (e.body #>> '{data,object,id}',
      e.body #>> '{data,object,parent,subscription_details,subscription}')
  where coalesce(p.id, y.purchase_id, s.purchase_id) is not null
    or coalesce(m.id, y.membership_id) is not null limit 1`;

const AT_ONCE = 100;

const SUBSCRIPTION_TYPES = toArrayParameter(SUBSCRIPTION_EVENTS);
const RETURN_TYPES = toArrayParameter(RETURN_EVENTS);

const INTENT = `e.body #>> '{data,object,payment_intent}'`;

/** SQL, for return events: the event belongs to no known payment, or the money has arrived. */
export const IS_DUE = `(not e.type = any(?::text[]) or ${INTENT} is null or exists (
  select from payment y where y.processor_id = ${INTENT} and y.status in ${RECEIVED}))`;

/**
 * Assigns early events: events whose purchase is known by now, and return events whose money has
 * arrived, go to the workflow of the purchase.
 */
export async function adoptEvents(
  em: EntityManager,
  only: { paymentIntentId: string } | null = null,
): Promise<number> {
  const about = only ? `and ${INTENT} = ?` : '';
  const adopted = await rows<Meant>(
    em,
    `update processor_event o set purchase_id = found.purchase_id,
       subscription_id = found.subscription_id, membership_id = found.membership_id,
       dead_letter_reason = null
     from (
       select e.processor, e.id, named.purchase_id, named.membership_id,
         (select s.id from subscription s where s.purchase_id = named.purchase_id
           and e.type = any(?::text[])) as subscription_id
       from processor_event e cross join lateral (${NAMED}) named
       where e.dead_letter_reason in ('${UNKNOWN_PURCHASE}', '${PAYMENT_NOT_RECEIVED}')
         and e.handled_at is null and ${IS_DUE} ${about}
       order by e.received_at, e.id limit ${AT_ONCE} for update of e skip locked
     ) found
     where o.processor = found.processor and o.id = found.id
     returning o.purchase_id as "purchaseId", o.subscription_id as "subscriptionId",
       o.membership_id as "membershipId"`,
    [SUBSCRIPTION_TYPES, RETURN_TYPES, ...(only ? [only.paymentIntentId] : [])],
  );
  for (const meant of adopted) await tellActor(em, meant, 'processor_event');
  return adopted.length;
}
