import { addGrant, changeAccess } from '../../entitlements/entitlement.repository.ts';
import { now, rows, type EntityManager } from '../../../platform/database/database.ts';
import { newPublicId } from '../../shared/ids.ts';
import { recordEvent } from '../../webhooks/event.repository.ts';
import { Checkout } from '../checkout/checkout.entity.ts';
import { lockInbox, markHandled } from '../processor-inbox/handled-event.repository.ts';
import { scheduleAsk } from '../processor-inbox/reconcile.repository.ts';
import { findDeletedParty } from '../../catalog/listing/deleted-party.repository.ts';
import { alertOfNoOrder } from '../checkout/undeliverable-payment.repository.ts';
import { isOwnedByAnother } from '../checkout/owned.repository.ts';
import { alertOfDifference, alertOfTakenMoney, recordPayment } from './payment.repository.ts';
import { Purchase, type PurchaseRow } from './purchase.entity.ts';
import { lockPurchase } from './purchase-lock.repository.ts';
import { decidePurchase, isSettled, type PurchaseStatus, type Reading } from './purchase-status.ts';
import type { Fence } from './purchase-fence.repository.ts';
import { issueReceipt } from '../receipts/receipt.repository.ts';
import { cancelIntents, recordIntent } from '../refunds/request-refund.repository.ts';
import { followFirstPayment } from '../product-subscriptions/first-payment.repository.ts';
import { lockSubscriptionOf } from '../product-subscriptions/subscription.repository.ts';
import type { SubscriptionRow } from '../product-subscriptions/subscription.entity.ts';

export type Settlement = {
  purchaseId: string;
  fence: Fence;
  reading: Reading & { paymentIntentId: string | null; subscriptionId?: string | null };
  feeBasisPoints: number;
  processor: string;
};

type Locked = { subscription: SubscriptionRow | null };

/** Applies a reading in one transaction: statuses, payment, access, events, inbox. */
export async function applyReading(
  em: EntityManager,
  settlement: Settlement,
): Promise<PurchaseStatus> {
  const { personId, productId } = settlement.fence;
  await lockInbox(em, covered(settlement));
  const subscription = await lockSubscriptionOf(em, settlement.purchaseId);
  const { status } = await changeAccess(
    em,
    { productId, personId },
    { reason: 'granted', write: () => settle(em, { ...settlement, subscription }) },
  );
  return status;
}

async function settle(
  em: EntityManager,
  settlement: Settlement & Locked,
): Promise<{ status: PurchaseStatus; purchaseId?: string }> {
  const { purchaseId, fence, reading, subscription } = settlement;
  const purchase = await lockPurchase(em, purchaseId);
  // A newer reading was applied while this one was under way: the older fact never wins.
  if (purchase.appliedSequence >= fence.sequence) return { status: purchase.status };
  const { amountMinor, currency } = await em.findOneOrFail(Checkout, purchase.checkoutId);
  const agreed = { amountMinor, currency };
  const isNews = reading.status === 'paid' && !isSettled(purchase.status);
  const noOrder = isNews ? await findDeletedParty(em, purchase) : null;
  const isOwnedAlready = noOrder !== null || (await isOwnedElsewhere(em, purchase, subscription));
  const decided = decidePurchase(purchase.status, reading, { ...agreed, isOwnedAlready });
  const payment = await recordPayment(em, { ...settlement, subscriptionId: subscription?.id });
  // Money that is booked for something else pays for nothing here.
  const isTaken = decided === 'cleared' && payment === null;
  const next = isTaken ? null : decided;
  const at = await now(em);
  const { sequence: appliedSequence, remainingMs } = fence;
  const moved = next && { status: next, ...(next === 'cleared' ? { clearedAt: at } : {}) };
  await em.nativeUpdate(Purchase, { id: purchaseId }, { appliedSequence, ...moved });
  await closeCheckout(em, purchase.checkoutId, reading.status);
  const processorId = reading.subscriptionId ?? null;
  if (subscription) await followFirstPayment(em, { subscription, next, processorId });
  await settleIntents(em, { purchaseId, next, amountMinor: reading.amountMinor });
  await markHandled(em, covered(settlement));
  const status = next ?? purchase.status;
  await scheduleAsk(em, {
    purchaseId,
    status,
    remainingMs,
    hasSession: true,
    isOutcomeUnknown: isTaken,
  });
  if (isTaken) await alertOfTakenMoney(em, purchaseId);
  if (next === 'quarantined') {
    await alertOfDifference(em, { subject: purchaseId, agreed, paid: reading });
    if (noOrder) await alertOfNoOrder(em, { subject: purchaseId, reason: noOrder });
  }
  if (next !== 'cleared') return { status };
  const type = subscription ? 'subscription' : 'purchase';
  await give(em, { purchase, reading, type, at });
  return { status, purchaseId };
}

function covered({ processor, fence: { eventIds } }: Settlement) {
  return { processor, eventIds };
}

/**
 * Another purchase owns the product, or the subscription ended before it began: late money changes
 * neither.
 */
async function isOwnedElsewhere(
  em: EntityManager,
  { id: purchaseId, personId, productId }: PurchaseRow,
  subscription: SubscriptionRow | null,
): Promise<boolean> {
  if (subscription?.status === 'ended') return true;
  return isOwnedByAnother(em, { personId, productId, purchaseId });
}

/** Gives the access of a purchase that was paid as agreed. */
async function give(
  em: EntityManager,
  bought: { purchase: PurchaseRow; reading: Reading; type: 'purchase' | 'subscription'; at: Date },
): Promise<void> {
  const { purchase, reading, type, at } = bought;
  const { id: purchaseId, personId, productId } = purchase;
  const data = {
    purchase_id: purchaseId,
    user_id: personId,
    product_id: productId,
    gross_minor: reading.amountMinor,
    currency: reading.currency,
  };
  await recordEvent(em, { productId, name: 'purchase.completed', data });
  await issueReceipt(em, purchaseId);
  const grant = { type, source: purchaseId, startsAt: at, endsAt: null };
  await addGrant(em, { productId, personId }, grant);
}

/** Refunds money that is no order, and cancels refunds of money that never came. */
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

/**
 * The intent never reached the processor, or its response never reached us, and its time is over.
 */
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
