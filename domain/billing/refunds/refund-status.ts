// Where a word of the processor leads a refund, and what refunds make of a payment and its purchase.
import type { PurchaseStatus } from '../purchases/purchase-status.ts';

export const REFUND_STATUSES = [
  'requested',
  'submitted',
  'succeeded',
  'reversed',
  'failed',
  'canceled',
] as const;

export type RefundStatus = (typeof REFUND_STATUSES)[number];

/** The processor's refund as it stands. */
export type RefundReading = 'pending' | 'succeeded' | 'failed' | 'canceled';

/** Those that a seller may give. */
export const REFUND_REASONS = ['requested_by_customer', 'duplicate', 'fraudulent'] as const;

export type RefundReason = (typeof REFUND_REASONS)[number];

/** Also of what the platform sends back by itself. */
export type IntentReason = RefundReason | 'not_as_agreed';

/** The status that a reading leads to, or null where it changes nothing. */
export function decideRefund(current: RefundStatus, reading: RefundReading): RefundStatus | null {
  switch (current) {
    case 'requested':
      return reading === 'pending' ? 'submitted' : reading;
    case 'submitted':
      return reading === 'pending' ? null : reading;
    case 'succeeded':
      // It failed after all, days later: what was booked stays, and is taken back by its own date.
      return reading === 'failed' || reading === 'canceled' ? 'reversed' : null;
    default:
      return null;
  }
}

export type Taken = {
  grossMinor: number;
  refundedMinor: number;
  underWayMinor: number;
  disputedMinor: number;
};

/** Of a payment: money that has come, and money that is still to come, which waits for that. */
export const REFUNDABLE: readonly string[] = ['clearing', 'succeeded', 'partially_refunded'];

/** What may still be asked to go back. */
export function refundableMinor(taken: Taken): number {
  const { grossMinor, refundedMinor, underWayMinor, disputedMinor } = taken;
  return Math.max(0, grossMinor - refundedMinor - underWayMinor - disputedMinor);
}

/** Of what was paid, what is back at the buyer: by refunds that succeeded and disputes that were lost. */
export type Returned = { grossMinor: number; returnedMinor: number };

export function decidePaymentStatus({ grossMinor, returnedMinor }: Returned) {
  if (returnedMinor <= 0) return 'succeeded';
  return returnedMinor < grossMinor ? 'partially_refunded' : 'refunded';
}

export type ReturnedStatus = 'refunded' | 'charged_back' | 'cleared' | 'quarantined';

type Bought = { status: PurchaseStatus; wasCleared: boolean };

/**
 * The status that returned money leads a purchase to, or null. What never was an order is no order
 * either when its refund failed late: it waits for a human again.
 */
export function decideReturnedPurchase(
  { status, wasCleared }: Bought,
  { grossMinor, returnedMinor, isChargeback }: Returned & { isChargeback: boolean },
): ReturnedStatus | null {
  const isReturned = returnedMinor >= grossMinor;
  if (status === 'refunded' || status === 'charged_back') {
    if (isReturned) return null;
    return wasCleared ? 'cleared' : 'quarantined';
  }
  if (!isReturned || (status !== 'cleared' && status !== 'quarantined')) return null;
  return isChargeback && wasCleared ? 'charged_back' : 'refunded';
}

/** How long to wait for a word on a refund that is under way before asking for it. */
export const REFUND_WAIT_MS = 6 * 60 * 60_000;
