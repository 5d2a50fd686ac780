import { addGrant, changeAccess } from '../../entitlements/entitlement.repository.ts';
import { now, type EntityManager } from '../../../platform/database/database.ts';
import { newPublicId } from '../../shared/ids.ts';
import { recordEvent } from '../../webhooks/event.repository.ts';
import { findDeletedParty, type DeletedParty } from '../../catalog/listing/listing.repository.ts';
import { Checkout } from '../checkout/checkout.entity.ts';
import {
  alertOfNoOrder,
  alertOfDifference,
  alertOfTakenMoney,
  recordPayment,
} from './payment.repository.ts';
import { lockInbox, markHandled } from '../processor-inbox/handled-event.repository.ts';
import { scheduleAsk } from '../processor-inbox/reconcile.repository.ts';
import type { SubscriptionRow } from '../product-subscriptions/subscription.entity.ts';
import {
  applyFirstPayment,
  lockSubscriptionOf,
} from '../product-subscriptions/subscription.repository.ts';
import { issueReceipt } from '../receipts/receipt.repository.ts';
import { alertOfRefusal, recordIntent } from '../refunds/request-refund.repository.ts';
import { cancelIntents } from '../refunds/refund.repository.ts';
import type { Money } from './compare-paid.ts';
import {
  decidePurchase,
  hasReceivedMoney,
  type PurchaseStatus,
  type Reading,
} from './purchase-status.ts';
import { Purchase, type PurchaseRow } from './purchase.entity.ts';
import {
  cancelUnopened,
  isOwnedByAnother,
  lockPurchase,
  type Fence,
} from './purchase.repository.ts';

/** A reading of the processor's checkout, with the sequence number that was taken before it. */
export type PurchaseReading = {
  purchaseId: string;
  fence: Fence;
  reading: Reading & { paymentIntentId: string | null; subscriptionId?: string | null };
  feeBasisPoints: number;
  processor: string;
};

/** Applies a reading in one transaction: statuses, payment, access, events, inbox. */
export async function applyReading(
  em: EntityManager,
  read: PurchaseReading,
): Promise<PurchaseStatus> {
  const { personId, productId } = read.fence;
  await lockInbox(em, covered(read));
  const subscription = await lockSubscriptionOf(em, read.purchaseId);
  const { status } = await changeAccess(
    em,
    { productId, personId },
    { reason: 'granted', write: () => applyLocked(em, { ...read, subscription }) },
  );
  return status;
}

/** The subscription of the purchase is locked, and the access of its person. */
type Locked = PurchaseReading & { subscription: SubscriptionRow | null };

async function applyLocked(
  em: EntityManager,
  locked: Locked,
): Promise<{ status: PurchaseStatus; purchaseId?: string }> {
  const { purchaseId, fence, reading, subscription } = locked;
  const purchase = await lockPurchase(em, purchaseId);
  // A newer reading was applied while this one was under way: the older fact never wins.
  if (purchase.appliedSequence >= fence.sequence) return { status: purchase.status };
  const decision = await decideAndBook(em, locked, purchase);
  const { next, isTaken: isOutcomeUnknown } = decision;
  const at = await now(em);
  const { sequence: appliedSequence, remainingMs } = fence;
  const moved = next && { status: next, ...(next === 'cleared' ? { clearedAt: at } : {}) };
  await em.nativeUpdate(Purchase, { id: purchaseId }, { appliedSequence, ...moved });
  await closeCheckout(em, purchase.checkoutId, reading.status);
  const processorId = reading.subscriptionId ?? null;
  if (subscription) await applyFirstPayment(em, { subscription, next, processorId });
  await refundOrCancel(em, { purchaseId, next, amountMinor: reading.amountMinor });
  await markHandled(em, covered(locked));
  const status = next ?? purchase.status;
  await scheduleAsk(em, { purchaseId, status, remainingMs, hasSession: true, isOutcomeUnknown });
  await alertOfMoney(em, { ...decision, purchaseId, paid: reading });
  if (next !== 'cleared') return { status };
  const type = subscription ? 'subscription' : 'purchase';
  await give(em, { purchase, reading, type, at });
  return { status, purchaseId };
}

function covered({ processor, fence: { eventIds } }: PurchaseReading) {
  return { processor, eventIds };
}

type Decision = {
  /** The next status, or null when nothing changes. */
  next: PurchaseStatus | null;
  agreed: Money;
  /** The money came for a deleted account or a removed product. */
  noOrder: DeletedParty | null;
  /** The money is booked for something else, so it pays for nothing here. */
  isTaken: boolean;
};

/** Decides the next status, and books the payment. */
async function decideAndBook(
  em: EntityManager,
  locked: Locked,
  purchase: PurchaseRow,
): Promise<Decision> {
  const { reading, subscription } = locked;
  const { amountMinor, currency } = await em.findOneOrFail(Checkout, purchase.checkoutId);
  const agreed = { amountMinor, currency };
  const isNews = reading.status === 'paid' && !hasReceivedMoney(purchase.status);
  const noOrder = isNews ? await findDeletedParty(em, purchase) : null;
  const isOwnedAlready = noOrder !== null || (await isOwnedElsewhere(em, purchase, subscription));
  const decided = decidePurchase(purchase.status, reading, { ...agreed, isOwnedAlready });
  const payment = await recordPayment(em, { ...locked, subscriptionId: subscription?.id });
  const isTaken = decided === 'cleared' && payment === null;
  return { next: isTaken ? null : decided, agreed, noOrder, isTaken };
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

/** Refunds money that is no order, and cancels refunds of money that never came. */
async function refundOrCancel(
  em: EntityManager,
  moved: { purchaseId: string; next: PurchaseStatus | null; amountMinor: number },
): Promise<void> {
  const { purchaseId, next, amountMinor } = moved;
  if (next === 'failed' || next === 'canceled') await cancelIntents(em, purchaseId);
  if (next !== 'quarantined') return;
  const intent = { refundId: newPublicId('re_'), purchaseId, amountMinor, requestedBy: null };
  const requested = await recordIntent(em, { ...intent, reason: 'not_as_agreed' });
  await alertOfRefusal(em, purchaseId, requested);
}

async function alertOfMoney(
  em: EntityManager,
  decision: Decision & { purchaseId: string; paid: Money },
): Promise<void> {
  const { next, agreed, noOrder, isTaken, purchaseId: subject, paid } = decision;
  if (isTaken) await alertOfTakenMoney(em, subject);
  if (next !== 'quarantined') return;
  await alertOfDifference(em, { subject, agreed, paid });
  if (noOrder) await alertOfNoOrder(em, { subject, reason: noOrder });
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

/**
 * The intent never reached the processor, or its response never reached us, and its time is over.
 */
export async function abandonPurchase(
  em: EntityManager,
  { purchaseId, remainingMs }: { purchaseId: string; remainingMs: number },
): Promise<PurchaseStatus> {
  const subscription = await lockSubscriptionOf(em, purchaseId);
  const isCanceled = await cancelUnopened(em, purchaseId);
  if (subscription && isCanceled) {
    await applyFirstPayment(em, { subscription, next: 'canceled', processorId: null });
  }
  const { status } = await em.findOneOrFail(Purchase, purchaseId, { disableIdentityMap: true });
  await scheduleAsk(em, { purchaseId, status, remainingMs, hasSession: false });
  return status;
}
