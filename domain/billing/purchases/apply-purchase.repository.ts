import { lockAccess, storeAccess } from '../../entitlements/entitlement.repository.ts';
import { now, type EntityManager } from '../../../platform/database/database.ts';
import { findDeletedParty } from '../../catalog/product-lifecycle.repository.ts';
import { closeCheckout, readAgreed } from '../checkout/checkout.repository.ts';
import { lockInbox, markHandled } from '../processor-inbox/handled-event.repository.ts';
import { scheduleAsk } from '../processor-inbox/reconcile.repository.ts';
import {
  applyFirstPayment,
  lockSubscriptionOf,
} from '../product-subscriptions/subscription.repository.ts';
import { refundOrCancel } from '../refunds/request-refund.repository.ts';
import { alertOfMoney } from './money-alerts.repository.ts';
import { recordPayment } from './payment.repository.ts';
import {
  decidePurchase,
  hasReceivedMoney,
  type PurchaseStatus,
  type Reading,
} from './purchase-status.ts';
import {
  isOwnedByAnother,
  lockPurchase,
  movePurchase,
  type FencingToken,
} from './purchase.repository.ts';
import { grantPurchased } from './purchased-access.repository.ts';

/** A reading of the processor's checkout, with the sequence number that was taken before it. */
export type PurchaseReading = {
  purchaseId: string;
  fence: FencingToken;
  reading: Reading & { paymentIntentId: string | null; subscriptionId?: string | null };
  feeBasisPoints: number;
  processor: string;
};

/** Applies a reading in one transaction: statuses, payment, access, events, inbox. */
export async function applyReading(
  em: EntityManager,
  read: PurchaseReading,
): Promise<PurchaseStatus> {
  const { purchaseId, fence, reading } = read;
  const { sequence, remainingMs } = fence;
  const locked = await lockSale(em, read);
  const { access, purchase, subscription } = locked;
  // A newer reading was applied while this one was under way: the older fact never wins.
  if (purchase.appliedSequence >= sequence) {
    await storeAccess(em, access, { reason: 'granted' });
    return purchase.status;
  }
  const { decided, agreed, deletedParty } = await decide(em, locked, reading);
  const payment = await recordPayment(em, { ...read, subscriptionId: subscription?.id });
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
  await markHandled(em, covered(read));
  const asked = { purchaseId, status, remainingMs, hasSession: true };
  await scheduleAsk(em, { ...asked, isOutcomeUnknown: isTaken });
  await alertOfMoney(em, {
    subject: purchaseId,
    next,
    isTaken,
    agreed,
    paid: reading,
    deletedParty,
  });
  const isCleared = next === 'cleared';
  const type = subscription ? 'subscription' : 'purchase';
  if (isCleared) await grantPurchased(em, { purchase, paid: reading, type, at });
  await storeAccess(em, access, { reason: 'granted', ...(isCleared ? { purchaseId } : {}) });
  return status;
}

function covered({ processor, fence: { eventIds } }: PurchaseReading) {
  return { processor, eventIds };
}

/** Takes the locks in the order of every change of money or access. */
async function lockSale(em: EntityManager, read: PurchaseReading) {
  const { purchaseId, fence } = read;
  await lockInbox(em, covered(read));
  const subscription = await lockSubscriptionOf(em, purchaseId);
  const access = await lockAccess(em, fence);
  return { subscription, access, purchase: await lockPurchase(em, purchaseId) };
}

type Locked = Awaited<ReturnType<typeof lockSale>>;

/** Decides the next status from the reading and the agreed terms. */
async function decide(em: EntityManager, { purchase, subscription }: Locked, reading: Reading) {
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
