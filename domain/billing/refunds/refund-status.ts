// The refund's status for a reading, and the amount that may still be refunded.
import { HOUR_MS } from '../../shared/instant.ts';

export const REFUND_STATUSES = [
  'requested',
  'submitted',
  'succeeded',
  'reversed',
  'failed',
  'canceled',
] as const;

export type RefundStatus = (typeof REFUND_STATUSES)[number];

/** The money has yet to go back. */
export const OPEN_REFUND_STATUSES = ['requested', 'submitted'] as const;

/** The processor's status of a refund. */
export type RefundReading = 'pending' | 'succeeded' | 'failed' | 'canceled';

/** The reasons that a seller may choose. */
export const REFUND_REASONS = ['requested_by_customer', 'duplicate', 'fraudulent'] as const;

export type RefundReason = (typeof REFUND_REASONS)[number];

/** Includes the platform's own refunds. */
export type IntentReason = RefundReason | 'not_as_agreed';

/** The status that a reading leads to, or null when nothing changes. */
export function decideRefund(current: RefundStatus, reading: RefundReading): RefundStatus | null {
  switch (current) {
    case 'requested':
      return reading === 'pending' ? 'submitted' : reading;
    case 'submitted':
      return reading === 'pending' ? null : reading;
    case 'succeeded':
      // A refund can fail days later: its booking stays and is booked back at the date of the
      // failure.
      return reading === 'failed' || reading === 'canceled' ? 'reversed' : null;
    default:
      return null;
  }
}

export type UsedAmounts = {
  grossMinor: number;
  refundedMinor: number;
  underWayMinor: number;
  disputedMinor: number;
};

/** Payments whose money arrived, or is still to come: a refund of the latter waits. */
export const REFUNDABLE = ['clearing', 'succeeded', 'partially_refunded'] as const;

/** The amount that may still be refunded. */
export function refundableMinor(taken: UsedAmounts): number {
  const { grossMinor, refundedMinor, underWayMinor, disputedMinor } = taken;
  return Math.max(0, grossMinor - refundedMinor - underWayMinor - disputedMinor);
}

/** The wait for an event about a refund before the processor is asked. */
export const REFUND_WAIT_MS = 6 * HOUR_MS;
