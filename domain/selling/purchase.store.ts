import { LockMode } from '@mikro-orm/core';
import { raiseAlert } from '../alerts/alert.store.ts';
import { addGrant, changeAccess } from '../entitlements/entitlement.store.ts';
import { toArrayParameter } from '../platform/array-parameter.ts';
import { now, rows, type EntityManager } from '../platform/database.ts';
import { newPublicId } from '../platform/ids.ts';
import { recordEvent } from '../webhooks/event.store.ts';
import { Checkout } from './checkout.entity.ts';
import { DISPUTE_EVENTS, REFUND_EVENTS, SUBSCRIPTION_EVENTS } from './inbox/event-type.ts';
import { lockInbox, markHandled, UNKNOWN_TYPE } from './inbox/inbox.store.ts';
import { scheduleAsk } from './inbox/reconcile.store.ts';
import { decidePurchase, type PurchaseStatus, type Reading } from './purchase-status.ts';
import { isOwnedByAnother } from './owned.store.ts';
import { recordPayment } from './payment.store.ts';
import { Purchase } from './purchase.entity.ts';
import { issueReceipt } from './receipt.store.ts';
import { cancelIntents, recordIntent } from './refunds/refund-intent.store.ts';
import { canBegin, followFirstPayment } from './subscriptions/first-payment.store.ts';
import { lockSubscriptionOf } from './subscriptions/subscription-lock.store.ts';
import type { SubscriptionRow } from './subscriptions/subscription.entity.ts';

export type Ticket = {
  ticket: number;
  status: PurchaseStatus;
  productId: string;
  personId: string;
  sessionId: string | null;
  /** Until the processor's session ends by itself. */
  remainingMs: number;
  /** What the processor said before this ticket: the reading that follows covers it. */
  eventIds: string[];
  /** Of disputes, which are read for themselves. */
  disputeEventIds: string[];
  hasOpenDispute: boolean;
};

type Settlement = {
  purchaseId: string;
  ticket: Ticket;
  reading: Reading & { paymentId: string | null; subscriptionId?: string | null };
  feeBasisPoints: number;
  processor: string;
};

const DISPUTE_TYPES = toArrayParameter(DISPUTE_EVENTS);
// Each is read for itself: the reading of a checkout does not cover them.
const OTHER_TYPES = toArrayParameter([...DISPUTE_EVENTS, ...REFUND_EVENTS, ...SUBSCRIPTION_EVENTS]);

// What is not understood as an event waits for a human; what was not as a state, for a better reading.
const HEARD = `processor_event e where e.purchase_id = p.id and e.handled_at is null
  and e.parked_reason is distinct from '${UNKNOWN_TYPE}'`;

/** Takes the next numbered ticket, before the processor is asked how its checkout stands. */
export async function takeTicket(em: EntityManager, purchaseId: string): Promise<Ticket> {
  const [row] = await rows<{
    ticket: string;
    status: PurchaseStatus;
    product_id: string;
    person_id: string;
    session_id: string | null;
    remaining_ms: number;
    event_ids: string[] | null;
    dispute_event_ids: string[] | null;
    has_open_dispute: boolean;
  }>(
    em,
    `update purchase p set ticket = p.ticket + 1 from checkout c
     where p.id = ? and c.id = p.checkout_id
     returning p.ticket, p.status, p.product_id, p.person_id,
       -- A crash between the processor's answer and our commit: its events know the session.
       coalesce(c.session_id, (select e.body #>> '{data,object,id}' from processor_event e
         where e.purchase_id = p.id and e.type like 'checkout.session.%' limit 1)) as session_id,
       (extract(epoch from c.expires_at - gatehouse_now()) * 1000)::float as remaining_ms,
       (select json_agg(e.id) from ${HEARD} and not e.type = any(?::text[])) as event_ids,
       (select json_agg(e.id) from ${HEARD} and e.type = any(?::text[])) as dispute_event_ids,
       exists (select from dispute d join payment y on y.id = d.payment_id
         where y.purchase_id = p.id and d.status in ('warning', 'open')) as has_open_dispute`,
    [purchaseId, OTHER_TYPES, DISPUTE_TYPES],
  );
  if (!row) throw new Error(`there is no purchase ${purchaseId}`);
  return {
    ticket: Number(row.ticket),
    status: row.status,
    productId: row.product_id,
    personId: row.person_id,
    sessionId: row.session_id,
    remainingMs: Math.max(0, Math.ceil(row.remaining_ms)),
    eventIds: row.event_ids ?? [],
    disputeEventIds: row.dispute_event_ids ?? [],
    hasOpenDispute: row.has_open_dispute,
  };
}

/** Applies a reading of the processor in one transaction: statuses, payment, access, events, inbox. */
export async function applyReading(
  em: EntityManager,
  settlement: Settlement,
): Promise<PurchaseStatus> {
  const { personId, productId } = settlement.ticket;
  await lockInbox(em, covered(settlement));
  const subscription = await lockSubscriptionOf(em, settlement.purchaseId);
  const { status } = await changeAccess(
    em,
    { productId, personId },
    {
      cause: 'granted',
      write: () => settle(em, { ...settlement, subscription }),
    },
  );
  return status;
}

async function settle(
  em: EntityManager,
  settlement: Settlement & { subscription: SubscriptionRow | null },
): Promise<{ status: PurchaseStatus; purchaseId?: string }> {
  const { purchaseId, ticket, reading, subscription } = settlement;
  const purchase = await em.findOneOrFail(Purchase, purchaseId, {
    lockMode: LockMode.PESSIMISTIC_WRITE,
    refresh: true,
  });
  // A newer reading was applied while this one was under way: the older fact never wins.
  if (purchase.appliedTicket >= ticket.ticket) return { status: purchase.status };
  const { personId, productId } = purchase;
  const { amountMinor, currency } = await em.findOneOrFail(Checkout, purchase.checkoutId);
  const isOwnedAlready =
    (subscription !== null && !(await canBegin(em, subscription))) ||
    (await isOwnedByAnother(em, { personId, productId, purchaseId }));
  const next = decidePurchase(purchase.status, reading, { amountMinor, currency, isOwnedAlready });
  const at = await now(em);
  const change = {
    appliedTicket: ticket.ticket,
    ...(next ? { status: next } : {}),
    ...(next === 'cleared' ? { clearedAt: at } : {}),
  };
  await em.nativeUpdate(Purchase, { id: purchaseId }, change);
  await closeCheckout(em, purchase.checkoutId, reading.status);
  await recordPayment(em, { ...settlement, subscriptionId: subscription?.id });
  const processorId = reading.subscriptionId ?? null;
  if (subscription) await followFirstPayment(em, { subscription, next, processorId });
  await settleIntents(em, { purchaseId, next, amountMinor: reading.amountMinor });
  await markHandled(em, covered(settlement));
  const status = next ?? purchase.status;
  const { remainingMs } = ticket;
  await scheduleAsk(em, { purchaseId, status, remainingMs, hasSession: true });
  if (next === 'quarantined') await alertOfDifference(em, settlement, { amountMinor, currency });
  if (next !== 'cleared') return { status };
  const data = {
    purchase_id: purchaseId,
    user_id: personId,
    product_id: productId,
    gross_minor: reading.amountMinor,
    currency: reading.currency,
  };
  await recordEvent(em, { productId, name: 'purchase.completed', data });
  await issueReceipt(em, purchaseId);
  const type = subscription ? ('subscription' as const) : ('purchase' as const);
  const grant = { type, source: purchaseId, startsAt: at, endsAt: null };
  await addGrant(em, { productId, personId }, grant);
  return { status: next, purchaseId };
}

function covered({ processor, ticket: { eventIds } }: Settlement) {
  return { processor, eventIds };
}

/** Money that is no order goes back by itself; where none came, nothing can. */
async function settleIntents(
  em: EntityManager,
  settled: { purchaseId: string; next: PurchaseStatus | null; amountMinor: number },
): Promise<void> {
  const { purchaseId, next, amountMinor } = settled;
  if (next === 'failed' || next === 'canceled') await cancelIntents(em, purchaseId);
  if (next !== 'quarantined') return;
  const intent = { refundId: newPublicId('re_'), purchaseId, amountMinor, requestedBy: null };
  await recordIntent(em, { ...intent, reason: 'not_as_agreed' });
}

async function alertOfDifference(
  em: EntityManager,
  { purchaseId, reading }: Settlement,
  agreed: { amountMinor: number; currency: string },
): Promise<void> {
  const { amountMinor, currency } = reading;
  if (amountMinor === agreed.amountMinor && currency === agreed.currency) return;
  const detail = {
    agreed: `${agreed.amountMinor} ${agreed.currency}`,
    paid: `${amountMinor} ${currency}`,
  };
  await raiseAlert(em, { kind: 'amount_differs', subject: purchaseId, detail });
}

/** The intent never reached the processor, or its answer never reached us, and its time is over. */
export async function abandonPurchase(
  em: EntityManager,
  { purchaseId, remainingMs }: { purchaseId: string; remainingMs: number },
): Promise<PurchaseStatus> {
  const subscription = await lockSubscriptionOf(em, purchaseId);
  await rows(
    em,
    `update checkout c set status = 'abandoned' from purchase p
     where p.id = ? and c.id = p.checkout_id and c.status = 'open' and c.session_id is null
       and c.expires_at <= gatehouse_now()`,
    [purchaseId],
  );
  const canceled = await rows(
    em,
    `update purchase p set status = 'canceled' from checkout c
     where p.id = ? and p.status = 'pending' and c.id = p.checkout_id and c.session_id is null
       and c.status in ('abandoned', 'replaced') returning 1`,
    [purchaseId],
  );
  if (subscription && canceled.length === 1) {
    await followFirstPayment(em, { subscription, next: 'canceled', processorId: null });
  }
  const { status } = await em.findOneOrFail(Purchase, purchaseId, { disableIdentityMap: true });
  await scheduleAsk(em, { purchaseId, status, remainingMs, hasSession: false });
  return status;
}

async function closeCheckout(
  em: EntityManager,
  checkoutId: string,
  status: Reading['status'],
): Promise<void> {
  if (status === 'expired') {
    await em.nativeUpdate(Checkout, { id: checkoutId, status: 'open' }, { status: 'expired' });
  } else if (status === 'paid' || status === 'clearing' || status === 'failed') {
    await em.nativeUpdate(Checkout, { id: checkoutId }, { status: 'paid' });
  }
}
