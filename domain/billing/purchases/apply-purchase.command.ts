import { inTransaction, now, type EntityManager } from '../../../platform/database/database.ts';
import { findDeletedParty } from '../../catalog/product-lifecycle.repository.ts';
import { addGrant, lockAccess, storeAccess } from '../../entitlements/entitlement.repository.ts';
import { recordEvent } from '../../webhooks/event.repository.ts';
import { closeCheckout, readAgreed } from '../checkout/checkout.repository.ts';
import { readFeeOfPurchase } from '../platform-fee.repository.ts';
import { lockInbox, markHandled } from '../processor-inbox/covered-events.repository.ts';
import { scheduleAsk } from '../processor-inbox/reconcile.repository.ts';
import {
  applyFirstPayment,
  lockSubscriptionOf,
} from '../product-subscriptions/subscription.repository.ts';
import { issueReceipt } from '../receipts/receipt.repository.ts';
import { refundOrCancel } from '../refunds/request-refund.repository.ts';
import { alertOfMoney } from '../notices/money-alerts.repository.ts';
import { recordPayment } from './payment.repository.ts';
import { decidePurchase, hasReceivedMoney, type Reading } from './purchase-status.ts';
import {
  cancelUnopened,
  isOwnedByAnother,
  lockPurchase,
  movePurchase,
  readStatus,
  type FencingToken,
} from './purchase.repository.ts';

/** A reading of the processor's checkout, with the sequence number that was taken before it. */
export type PurchaseReading = {
  purchaseId: string;
  fence: FencingToken;
  reading: Reading & { paymentIntentId: string | null; subscriptionId?: string | null };
  processor: string;
};

/** Applies a reading in one transaction: statuses, payment, access, events, inbox. */
export async function applyReading(em: EntityManager, read: PurchaseReading) {
  return inTransaction(em, async (em) => {
    const { purchaseId, fence, reading, processor } = read;
    const { sequence, remainingMs, eventIds } = fence;
    // The order of the locks of every change of money or access.
    await lockInbox(em, { processor, eventIds });
    const subscription = await lockSubscriptionOf(em, purchaseId);
    const access = await lockAccess(em, fence);
    const purchase = await lockPurchase(em, purchaseId);
    // A newer reading was applied while this one was under way: the older fact never wins.
    if (purchase.appliedSequence >= sequence) {
      await storeAccess(em, access, { reason: 'granted' });
      return purchase.status;
    }
    const sale = { purchase, subscription };
    const { decided, agreed, deletedParty } = await decide(em, sale, reading);
    const feeBasisPoints = await readFeeOfPurchase(em, purchaseId);
    const subscriptionId = subscription?.id;
    const payment = await recordPayment(em, { ...read, feeBasisPoints, subscriptionId });
    // The money is booked for something else, so it pays for nothing here.
    const isTaken = decided === 'cleared' && payment === null;
    const next = isTaken ? null : decided;
    const status = next ?? purchase.status;
    const at = await now(em);
    await movePurchase(em, purchaseId, { next, sequence, at });
    await closeCheckout(em, purchase.checkoutId, reading.status);
    const processorId = reading.subscriptionId ?? null;
    if (subscription) await applyFirstPayment(em, { subscription, next, processorId });
    await refundOrCancel(em, { purchaseId, next, amountMinor: reading.amountMinor });
    await markHandled(em, { processor, eventIds });
    const ask = { purchaseId, status, remainingMs, hasSession: true };
    await scheduleAsk(em, { ...ask, isOutcomeUnknown: isTaken });
    const money = { next, isTaken, agreed, paid: reading, deletedParty };
    await alertOfMoney(em, { subject: purchaseId, ...money });
    const isCleared = next === 'cleared';
    if (isCleared) await grantPurchased(em, { ...sale, paid: reading, at });
    await storeAccess(em, access, { reason: 'granted', ...(isCleared ? { purchaseId } : {}) });
    return status;
  });
}

type Sale = {
  purchase: Awaited<ReturnType<typeof lockPurchase>>;
  subscription: Awaited<ReturnType<typeof lockSubscriptionOf>>;
};

/** Decides the next status from the reading and the agreed terms. */
async function decide(em: EntityManager, { purchase, subscription }: Sale, reading: Reading) {
  const { id: purchaseId, personId, productId, status, checkoutId } = purchase;
  const agreed = await readAgreed(em, checkoutId);
  const isNews = reading.status === 'paid' && !hasReceivedMoney(status);
  const deletedParty = isNews ? await findDeletedParty(em, purchase) : null;
  // Late money changes neither another purchase of the product nor an ended subscription.
  const isOwnedAlready =
    deletedParty !== null ||
    subscription?.status === 'ended' ||
    (await isOwnedByAnother(em, { personId, productId, purchaseId }));
  const decided = decidePurchase(status, reading, { ...agreed, isOwnedAlready });
  return { decided, agreed, deletedParty };
}

/** Grants the access of a purchase that was paid as agreed, with its event and its receipt. */
async function grantPurchased(
  em: EntityManager,
  { purchase, subscription, paid, at }: Sale & { paid: Reading; at: Date },
): Promise<void> {
  const { id: purchaseId, personId, productId } = purchase;
  const data = {
    purchase_id: purchaseId,
    user_id: personId,
    product_id: productId,
    gross_minor: paid.amountMinor,
    currency: paid.currency,
  };
  await recordEvent(em, { productId, name: 'purchase.completed', data });
  await issueReceipt(em, purchaseId);
  const type = subscription ? 'subscription' : 'purchase';
  const grant = { type, source: purchaseId, startsAt: at, endsAt: null } as const;
  await addGrant(em, { productId, personId }, grant);
}

/**
 * The intent never reached the processor, or its response never reached us, and its time is over.
 */
export async function abandonPurchase(
  em: EntityManager,
  { purchaseId, remainingMs }: { purchaseId: string; remainingMs: number },
) {
  return inTransaction(em, async (em) => {
    const subscription = await lockSubscriptionOf(em, purchaseId);
    const isCanceled = await cancelUnopened(em, purchaseId);
    if (subscription && isCanceled) {
      await applyFirstPayment(em, { subscription, next: 'canceled', processorId: null });
    }
    const status = await readStatus(em, purchaseId);
    await scheduleAsk(em, { purchaseId, status, remainingMs, hasSession: false });
    return status;
  });
}
