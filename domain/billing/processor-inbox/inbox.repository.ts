import { raiseAlert } from '../../alerts/alert.repository.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { parseUuid } from '../../shared/ids.ts';
import { membershipActor, purchaseActor, subscriptionActor } from '../../outbox/actors.ts';
import { sendToActor } from '../../outbox/outbox.repository.ts';
import { RECEIVED } from '../purchases/received-statuses.ts';
import {
  lockSubscription,
  lockSubscriptionOf,
} from '../product-subscriptions/subscription.repository.ts';
import {
  ACCOUNT_EVENT,
  isFollowed,
  PAYMENT_NOT_RECEIVED,
  RETURN_EVENTS,
  SUBSCRIPTION_EVENTS,
  UNKNOWN_PURCHASE,
  UNKNOWN_TYPE,
} from './event-type.ts';
import { ASKED_SOON } from './reconcile-schedule.ts';

export type IncomingEvent = {
  processor: string;
  id: string;
  type: string;
  /** The purchase that the event names. */
  purchaseId: string | null;
  membershipId?: string | null;
  /** The processor's id of the payment. */
  paymentIntentId?: string | null;
  /** The processor's id of the subscription. */
  subscriptionId?: string | null;
  body: unknown;
};

/** Stores an event and wakes the workflow of its purchase; a second copy changes nothing. */
export async function recordProcessorEvent(
  em: EntityManager,
  event: IncomingEvent,
): Promise<{ isNew: boolean; isDeadLettered: boolean }> {
  const { processor, id, type, body } = event;
  const meant = await findMeant(em, event);
  const deadLetterReason = whyDeadLettered(type, meant) ?? (await whyEarly(em, event));
  const isEarly = deadLetterReason === PAYMENT_NOT_RECEIVED;
  // Before the purchase, which the foreign keys of the new row lock first: as whoever settles it does.
  if (meant.subscriptionId !== null) await lockSubscription(em, meant.subscriptionId);
  const renewing =
    isEarly && meant.purchaseId !== null ? await lockSubscriptionOf(em, meant.purchaseId) : null;
  const inserted = await rows(
    em,
    `insert into processor_event
       (processor, id, type, purchase_id, subscription_id, membership_id, body, dead_letter_reason)
     values (?, ?, ?, ?, ?, ?, ?::jsonb, ?) on conflict do nothing returning 1`,
    [
      processor,
      id,
      type,
      meant.purchaseId,
      meant.subscriptionId,
      meant.membershipId,
      toJsonb(body),
      deadLetterReason,
    ],
  );
  const isDeadLettered = deadLetterReason !== null;
  if (inserted.length === 0) return { isNew: false, isDeadLettered: false };
  // The reading that books its payment lets an early one go on: of a renewal, its subscription's.
  if (!isDeadLettered || isEarly) await follow(em, meant);
  if (renewing) await follow(em, { ...meant, subscriptionId: renewing.id });
  // One that names no purchase may only be early: reconciliation looks for it again, and alerts.
  if (deadLetterReason === UNKNOWN_TYPE) {
    await raiseAlert(em, { kind: 'event_dead_lettered', subject: type, detail: { event: id } });
  }
  return { isNew: true, isDeadLettered };
}

function whyDeadLettered(type: string, { purchaseId, membershipId }: Meant): string | null {
  if (!isFollowed(type)) return UNKNOWN_TYPE;
  if (type === ACCOUNT_EVENT) return null;
  return purchaseId === null && membershipId === null ? UNKNOWN_PURCHASE : null;
}

async function whyEarly(em: EntityManager, event: IncomingEvent): Promise<string | null> {
  const { type, paymentIntentId } = event;
  if (!paymentIntentId || !RETURN_EVENTS.includes(type)) return null;
  const sql = `select 1 from payment where processor_id = ? and status in ${RECEIVED}`;
  const received = await rows(em, sql, [paymentIntentId]);
  return received.length === 0 ? PAYMENT_NOT_RECEIVED : null;
}

/**
 * An event belongs to a purchase and possibly its subscription, to a membership, or to nothing
 * known.
 */
export type Meant = {
  purchaseId: string | null;
  subscriptionId: string | null;
  membershipId: string | null;
};

const NOTHING: Meant = { purchaseId: null, subscriptionId: null, membershipId: null };

export async function tellActor(em: EntityManager, meant: Meant, kind: string): Promise<void> {
  const { purchaseId, subscriptionId, membershipId } = meant;
  if (membershipId) return sendToActor(em, membershipActor(membershipId), { kind });
  if (subscriptionId) return sendToActor(em, subscriptionActor(subscriptionId), { kind });
  if (purchaseId) await sendToActor(em, purchaseActor(purchaseId), { kind });
}

async function follow(em: EntityManager, meant: Meant): Promise<void> {
  const { purchaseId, subscriptionId, membershipId } = meant;
  await tellActor(em, meant, 'processor_event');
  const id = membershipId ?? subscriptionId ?? purchaseId;
  if (id === null) return;
  const table = membershipId ? 'membership' : subscriptionId ? 'subscription' : 'purchase';
  await rows(em, `update ${table} set ${ASKED_SOON} where id = ?`, [id]);
}

/**
 * Subscription events go to the workflow of the subscription, all others to the workflow of the
 * purchase.
 */
async function findMeant(em: EntityManager, event: IncomingEvent): Promise<Meant> {
  const { type, purchaseId, paymentIntentId = null, subscriptionId = null } = event;
  const membershipId = event.membershipId ? parseUuid(event.membershipId) : null;
  const names = [purchaseId, membershipId, paymentIntentId, subscriptionId];
  if (names.every((name) => name === null)) return NOTHING;
  const [found] = await rows<Meant>(
    em,
    `select p.id as "purchaseId", s.id as "subscriptionId", null as "membershipId" from purchase p
     left join subscription s on s.purchase_id = p.id and ?::boolean
     where p.id = coalesce((select id from purchase where id = ?),
       (select purchase_id from payment where processor_id = ?),
       (select purchase_id from subscription where processor_id = ?))
     union all
     select null, null, m.id from membership m
     where m.id = coalesce((select id from membership where id = ?),
       (select membership_id from payment where processor_id = ?),
       (select id from membership where processor_id = ?))`,
    [
      SUBSCRIPTION_EVENTS.includes(type),
      purchaseId,
      paymentIntentId,
      subscriptionId,
      membershipId,
      paymentIntentId,
      subscriptionId,
    ],
  );
  return found ?? NOTHING;
}

/** jsonb holds neither NUL nor half a surrogate pair, which JSON may escape: both become U+FFFD. */
function toJsonb(body: unknown): string {
  return JSON.stringify(body).replace(
    /(?<=(?:^|[^\\])(?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g,
    '\\ufffd',
  );
}
