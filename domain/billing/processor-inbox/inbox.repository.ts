import { raiseAlert } from '../../alerts/alert.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';
import { parseUuid } from '../../shared/ids.ts';
import {
  membershipWorkflow,
  purchaseWorkflow,
  subscriptionWorkflow,
} from '../../outbox/workflow-targets.ts';
import { sendToWorkflow } from '../../outbox/outbox.repository.ts';
import { RECEIVED_STATUSES } from '../purchases/payment-status.ts';
import {
  lockSubscription,
  lockSubscriptionOf,
} from '../product-subscriptions/subscription.repository.ts';
import {
  isHandledType,
  isOfSeller,
  PAYMENT_NOT_RECEIVED,
  RETURN_EVENTS,
  SUBSCRIPTION_EVENTS,
  UNKNOWN_PURCHASE,
  UNKNOWN_TYPE,
} from './event-type.ts';
import { ASKED_SOON_AT } from './covered-events.repository.ts';

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
export async function recordProcessorEvent(em: EntityManager, event: IncomingEvent) {
  const { processor, id, type, body } = event;
  const recipient = await findRecipient(em, event);
  const deadLetterReason = whyDeadLettered(type, recipient) ?? (await whyEarly(em, event));
  const isEarly = deadLetterReason === PAYMENT_NOT_RECEIVED;
  // Before the purchase, which the foreign keys of the new row lock: in the order of every reading.
  if (recipient.subscriptionId !== null) await lockSubscription(em, recipient.subscriptionId);
  const renewing =
    isEarly && recipient.purchaseId !== null
      ? await lockSubscriptionOf(em, recipient.purchaseId)
      : null;
  const recorded = await kysely(em)
    .with('recorded', (db) =>
      db
        .insertInto('processorEvent')
        .values({ processor, id, type, ...recipient, deadLetterReason })
        .onConflict((conflict) => conflict.doNothing())
        .returning('bodyId'),
    )
    .insertInto('processorEventBody')
    .columns(['id', 'body'])
    .expression(({ selectFrom, cast, val }) =>
      selectFrom('recorded').select(['bodyId', cast(val(toJsonb(body)), 'jsonb').as('body')]),
    )
    .executeTakeFirst();
  const isDeadLettered = deadLetterReason !== null;
  if (recorded.numInsertedOrUpdatedRows === 0n) return { isNew: false, isDeadLettered: false };
  // The reading that books its payment lets an early one go on: of a renewal, its subscription's.
  if (!isDeadLettered || isEarly) await wake(em, recipient);
  if (renewing) await wake(em, { ...recipient, subscriptionId: renewing.id });
  // One that names no purchase may only be early: reconciliation looks for it again, and alerts.
  if (deadLetterReason === UNKNOWN_TYPE) {
    await raiseAlert(em, { kind: 'event_dead_lettered', subject: type, detail: { event: id } });
  }
  return { isNew: true, isDeadLettered };
}

function whyDeadLettered(type: string, { purchaseId, membershipId }: Recipient): string | null {
  if (!isHandledType(type)) return UNKNOWN_TYPE;
  if (isOfSeller(type)) return null;
  return purchaseId === null && membershipId === null ? UNKNOWN_PURCHASE : null;
}

async function whyEarly(em: EntityManager, event: IncomingEvent): Promise<string | null> {
  const { type, paymentIntentId } = event;
  if (!paymentIntentId || !RETURN_EVENTS.includes(type)) return null;
  const received = await kysely(em)
    .selectFrom('payment')
    .select('id')
    .where('processorId', '=', paymentIntentId)
    .where('status', 'in', RECEIVED_STATUSES)
    .executeTakeFirst();
  return received ? null : PAYMENT_NOT_RECEIVED;
}

/**
 * An event belongs to a purchase and possibly its subscription, to a membership, or to nothing
 * known.
 */
export type Recipient = {
  purchaseId: string | null;
  subscriptionId: string | null;
  membershipId: string | null;
};

const NOTHING: Recipient = { purchaseId: null, subscriptionId: null, membershipId: null };

export async function notifyRecipient(em: EntityManager, recipient: Recipient, kind: string) {
  const { purchaseId, subscriptionId, membershipId } = recipient;
  if (membershipId) return sendToWorkflow(em, membershipWorkflow(membershipId), { kind });
  if (subscriptionId) return sendToWorkflow(em, subscriptionWorkflow(subscriptionId), { kind });
  if (purchaseId) await sendToWorkflow(em, purchaseWorkflow(purchaseId), { kind });
}

async function wake(em: EntityManager, recipient: Recipient): Promise<void> {
  const { purchaseId, subscriptionId, membershipId } = recipient;
  await notifyRecipient(em, recipient, 'processor_event');
  const id = membershipId ?? subscriptionId ?? purchaseId;
  if (id === null) return;
  const table = membershipId ? 'membership' : subscriptionId ? 'subscription' : 'purchase';
  await kysely(em)
    .updateTable(table)
    .set({ askAgainAt: ASKED_SOON_AT })
    .where('id', '=', id)
    .execute();
}

/**
 * Subscription events go to the workflow of the subscription, all others to the workflow of the
 * purchase.
 */
async function findRecipient(em: EntityManager, event: IncomingEvent): Promise<Recipient> {
  const { type, purchaseId, paymentIntentId = null, subscriptionId = null } = event;
  const membershipId = event.membershipId ? parseUuid(event.membershipId) : null;
  const names = { paymentIntentId, subscriptionId };
  if (Object.values({ ...names, purchaseId, membershipId }).every((name) => name === null)) {
    return NOTHING;
  }
  const purchase = await findPurchase(em, { ...names, purchaseId, type });
  return purchase ?? (await findMembership(em, { ...names, membershipId })) ?? NOTHING;
}

type Names = { paymentIntentId: string | null; subscriptionId: string | null };

async function findPurchase(
  em: EntityManager,
  named: Names & { purchaseId: string | null; type: string },
): Promise<Recipient | null> {
  const { purchaseId, paymentIntentId, subscriptionId, type } = named;
  const isOfSubscription = SUBSCRIPTION_EVENTS.includes(type);
  const found = await kysely(em)
    .selectFrom('purchase')
    .leftJoin('subscription', (join) =>
      join
        .onRef('subscription.purchaseId', '=', 'purchase.id')
        .on(({ lit }) => lit(isOfSubscription)),
    )
    .select(['purchase.id as purchaseId', 'subscription.id as subscriptionId'])
    .where('purchase.id', '=', ({ fn, selectFrom }) =>
      fn.coalesce(
        selectFrom('purchase as named').select('named.id').where('named.id', '=', purchaseId),
        selectFrom('payment')
          .select('payment.purchaseId')
          .where('payment.processorId', '=', paymentIntentId),
        selectFrom('subscription as named')
          .select('named.purchaseId')
          .where('named.processorId', '=', subscriptionId),
      ),
    )
    .executeTakeFirst();
  return found ? { ...found, membershipId: null } : null;
}

async function findMembership(em: EntityManager, named: Names & { membershipId: string | null }) {
  const { membershipId, paymentIntentId, subscriptionId } = named;
  const found = await kysely(em)
    .selectFrom('membership')
    .select('membership.id as membershipId')
    .where('membership.id', '=', ({ fn, selectFrom }) =>
      fn.coalesce(
        selectFrom('membership as named').select('named.id').where('named.id', '=', membershipId),
        selectFrom('payment')
          .select('payment.membershipId')
          .where('payment.processorId', '=', paymentIntentId),
        selectFrom('membership as named')
          .select('named.id')
          .where('named.processorId', '=', subscriptionId),
      ),
    )
    .executeTakeFirst();
  return found ? { ...NOTHING, ...found } : null;
}

/** jsonb holds neither NUL nor half a surrogate pair, which JSON may escape: both become U+FFFD. */
function toJsonb(body: unknown): string {
  return JSON.stringify(body).replace(
    /(?<=(?:^|[^\\])(?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g,
    '\\ufffd',
  );
}
