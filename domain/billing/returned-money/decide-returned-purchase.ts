// The effect of refunds and lost disputes on a payment and its purchase: all returned ends the
// access, a part does not.
import type { PurchaseStatus } from '../purchases/purchase-status.ts';

/** The returned share of a payment: succeeded refunds and lost disputes. */
export type ReturnedAmount = { grossMinor: number; returnedMinor: number };

export function decidePaymentStatus({ grossMinor, returnedMinor }: ReturnedAmount) {
  if (returnedMinor <= 0) return 'succeeded';
  return returnedMinor < grossMinor ? 'partially_refunded' : 'refunded';
}

export type ReturnedStatus = 'refunded' | 'charged_back' | 'cleared' | 'quarantined';

type BoughtPurchase = { status: PurchaseStatus; wasCleared: boolean };

/**
 * The purchase's status after returned money, or null. A purchase that never was an order waits for
 * an operator again when its refund fails late.
 */
export function decideReturnedPurchase(
  { status, wasCleared }: BoughtPurchase,
  { grossMinor, returnedMinor, isChargeback }: ReturnedAmount & { isChargeback: boolean },
): ReturnedStatus | null {
  const isReturned = returnedMinor >= grossMinor;
  if (status === 'refunded' || status === 'charged_back') {
    if (isReturned) return null;
    return wasCleared ? 'cleared' : 'quarantined';
  }
  if (!isReturned || (status !== 'cleared' && status !== 'quarantined')) return null;
  return isChargeback && wasCleared ? 'charged_back' : 'refunded';
}
