import { raiseAlert } from '../../alerts/alert.store.ts';
import { rows, type EntityManager } from '../../platform/database.ts';
import { purchaseActor, subscriptionActor } from '../../platform/outbox/actors.ts';
import { sendToActor } from '../../platform/outbox/outbox.store.ts';
import {
  ACCOUNT_EVENT,
  isFollowed,
  SUBSCRIPTION_EVENTS,
  UNKNOWN_PURCHASE,
  UNKNOWN_TYPE,
} from './event-type.ts';
import { ASKED_SOON } from './unresolved.ts';

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

export type Meant = { purchaseId: string | null; subscriptionId: string | null };

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
  const table = subscriptionId ? 'subscription' : 'purchase';
  await rows(em, `update ${table} set ${ASKED_SOON} where id = ?`, [subscriptionId ?? purchaseId]);
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
