import { LockMode } from '@mikro-orm/core';
import { raiseAlert } from '../../alerts/alert.store.ts';
import { purchaseActor, subscriptionActor } from '../../platform/outbox/actors.ts';
import { toArrayParameter } from '../../platform/array-parameter.ts';
import { now, rows, type EntityManager } from '../../platform/database.ts';
import { sendToActor } from '../../platform/outbox/outbox.store.ts';
import { ProcessorEvent } from './processor-event.entity.ts';
import { ACCOUNT_EVENT, isFollowed, SUBSCRIPTION_EVENTS } from './event-type.ts';

export type IncomingEvent = {
  processor: string;
  id: string;
  type: string;
  /** What it names us by itself. */
  purchaseId: string | null;
  /** The processor's id of the payment that it is about. */
  paymentIntentId?: string | null;
  /** The processor's id of the subscription that it is about. */
  subscriptionId?: string | null;
  body: unknown;
};

export const UNKNOWN_PURCHASE = 'unknown_purchase';
const UNKNOWN_TYPE = 'unknown_type';

/**
 * In SQL: that nobody has followed an event `e`. One that is not understood as an event waits for a
 * human; one whose state was not, for a better reading.
 */
export const UNFOLLOWED = `e.handled_at is null
  and e.parked_reason is distinct from '${UNKNOWN_TYPE}'`;

/** Keeps what the processor said and wakes the purchase's actor; a second copy changes nothing. */
export async function recordProcessorEvent(
  em: EntityManager,
  event: IncomingEvent,
): Promise<{ isNew: boolean; isParked: boolean }> {
  const { processor, id, type, body } = event;
  const { purchaseId, subscriptionId } = await findMeant(em, event);
  const parkedReason = whyParked({ type, purchaseId });
  const inserted = await rows(
    em,
    `insert into processor_event
       (processor, id, type, purchase_id, subscription_id, body, parked_reason)
     values (?, ?, ?, ?, ?, ?::jsonb, ?) on conflict do nothing returning 1`,
    [processor, id, type, purchaseId, subscriptionId, toJsonb(body), parkedReason],
  );
  const isParked = parkedReason !== null;
  if (inserted.length === 0) return { isNew: false, isParked: false };
  if (purchaseId && !isParked) await follow(em, { purchaseId, subscriptionId });
  // One that names no purchase may only be early: reconciliation looks for it again, and alerts.
  if (parkedReason === UNKNOWN_TYPE) {
    await raiseAlert(em, { kind: 'event_parked', subject: type, detail: { event: id } });
  }
  return { isNew: true, isParked };
}

function whyParked(event: { type: string; purchaseId: string | null }): string | null {
  if (!isFollowed(event.type)) return UNKNOWN_TYPE;
  if (event.type === ACCOUNT_EVENT) return null;
  return event.purchaseId === null ? UNKNOWN_PURCHASE : null;
}

type Meant = { purchaseId: string | null; subscriptionId: string | null };

export async function tellActor(
  em: EntityManager,
  { purchaseId, subscriptionId }: Meant & { purchaseId: string },
  kind: string,
): Promise<void> {
  const actor = subscriptionId ? subscriptionActor(subscriptionId) : purchaseActor(purchaseId);
  await sendToActor(em, actor, { kind });
}

async function follow(em: EntityManager, meant: Meant & { purchaseId: string }): Promise<void> {
  const { purchaseId, subscriptionId } = meant;
  await tellActor(em, meant, 'processor_event');
  // Should the message be lost with Temporal's own store, reconciliation finds the event unhandled.
  const table = subscriptionId ? 'subscription' : 'purchase';
  await rows(
    em,
    `update ${table}
     set ask_again_at = least(ask_again_at, gatehouse_now() + interval '1 hour') where id = ?`,
    [subscriptionId ?? purchaseId],
  );
}

/** Words about a subscription are for its own actor, all others for its purchase's. */
async function findMeant(em: EntityManager, event: IncomingEvent): Promise<Meant> {
  const { type, purchaseId, paymentIntentId = null, subscriptionId = null } = event;
  if (purchaseId === null && paymentIntentId === null && subscriptionId === null) {
    return { purchaseId: null, subscriptionId: null };
  }
  const [found] = await rows<{ purchaseId: string; subscriptionId: string | null }>(
    em,
    `select p.id as "purchaseId", s.id as "subscriptionId" from purchase p
     left join subscription s on s.purchase_id = p.id and ?::boolean
     where p.id = coalesce((select id from purchase where id = ?),
       (select purchase_id from payment where processor_id = ?),
       (select purchase_id from subscription where processor_id = ?))`,
    [SUBSCRIPTION_EVENTS.includes(type), purchaseId, paymentIntentId, subscriptionId],
  );
  return found ?? { purchaseId: null, subscriptionId: null };
}

/** jsonb holds neither NUL nor half a surrogate pair, which JSON may escape: both become U+FFFD. */
function toJsonb(body: unknown): string {
  return JSON.stringify(body).replace(
    /(?<=(?:^|[^\\])(?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g,
    '\\ufffd',
  );
}

/**
 * The processor said what this code does not understand: its words stay in the inbox for a human,
 * and the purchase is asked about again.
 */
export async function parkEvents(
  em: EntityManager,
  parked: { processor: string; eventIds: string[]; reason: string; purchaseId: string },
): Promise<void> {
  const { processor, eventIds, reason, purchaseId } = parked;
  const key = { processor, id: { $in: eventIds }, handledAt: null };
  await em.nativeUpdate(ProcessorEvent, key, { parkedReason: reason });
  await rows(
    em,
    `update purchase set ask_again_at = gatehouse_now() + interval '12 hours' where id = ?`,
    [purchaseId],
  );
  await raiseAlert(em, { kind: 'processor_state', subject: purchaseId, detail: { reason } });
}

type Covered = { processor: string; eventIds: string[] };

/** First of all locks: two readings that cover the same words go one after the other. */
export async function lockInbox(em: EntityManager, covered: Covered): Promise<void> {
  const { processor, eventIds } = covered;
  if (eventIds.length === 0) return;
  const key = { processor, id: { $in: eventIds } };
  await em.find(ProcessorEvent, key, {
    lockMode: LockMode.PESSIMISTIC_WRITE,
    orderBy: { id: 'asc' },
    fields: ['id'],
  });
}

/** In the transaction of the work that they asked for. */
export async function markHandled(em: EntityManager, covered: Covered): Promise<void> {
  const { processor, eventIds } = covered;
  if (eventIds.length === 0) return;
  const key = { processor, id: { $in: eventIds }, handledAt: null };
  await em.nativeUpdate(ProcessorEvent, key, { handledAt: await now(em), parkedReason: null });
}

// Its event names its purchase, or a payment or a subscription of it, in its metadata or as what it is about.
export const NAMED = `
  select coalesce(p.id, y.purchase_id, s.purchase_id) as purchase_id
  from (select 1) one
  left join purchase p on p.id = e.body #>> '{data,object,metadata,purchase_id}'
  left join payment y on y.processor_id in (
    e.body #>> '{data,object,payment_intent}', e.body #>> '{data,object,id}')
  left join subscription s on s.processor_id in (e.body #>> '{data,object,id}',
    e.body #>> '{data,object,parent,subscription_details,subscription}')
  where coalesce(p.id, y.purchase_id, s.purchase_id) is not null limit 1`;

const AT_ONCE = 100;

const SUBSCRIPTION_TYPES = toArrayParameter(SUBSCRIPTION_EVENTS);

/** Events that came before what they are about: those whose purchase is known by now go to its actor. */
export async function adoptEvents(
  em: EntityManager,
  only: { paymentIntentId: string } | null = null,
): Promise<number> {
  const about = only ? `and e.body #>> '{data,object,payment_intent}' = ?` : '';
  const adopted = await rows<Meant & { purchaseId: string }>(
    em,
    `update processor_event o set purchase_id = found.purchase_id,
       subscription_id = found.subscription_id, parked_reason = null
     from (
       select e.processor, e.id, named.purchase_id,
         (select s.id from subscription s where s.purchase_id = named.purchase_id
           and e.type = any(?::text[])) as subscription_id
       from processor_event e cross join lateral (${NAMED}) named
       where e.parked_reason = '${UNKNOWN_PURCHASE}' and e.handled_at is null ${about}
       order by e.received_at, e.id limit ${AT_ONCE} for update of e skip locked
     ) found
     where o.processor = found.processor and o.id = found.id
     returning o.purchase_id as "purchaseId", o.subscription_id as "subscriptionId"`,
    [SUBSCRIPTION_TYPES, ...(only ? [only.paymentIntentId] : [])],
  );
  for (const meant of adopted) await tellActor(em, meant, 'processor_event');
  return adopted.length;
}
