// Turns a reading of the processor's checkout into the next status; statuses move only along these
// arrows.

import { MINUTE_MS } from '../../shared/instant.ts';
import { isSameMoney, type Money } from './payment-status.ts';

export const PURCHASE_STATUSES = [
  'pending',
  'clearing',
  'cleared',
  'failed',
  'canceled',
  'quarantined',
  'refunded',
  'charged_back',
] as const;

export type PurchaseStatus = (typeof PURCHASE_STATUSES)[number];

/**
 * The processor's checkout; a `declined` checkout is still open after its last card was refused.
 */
export type Reading = Money & {
  status: 'open' | 'declined' | 'clearing' | 'paid' | 'failed' | 'expired';
};

export type Snapshot = Money & { isOwnedAlready: boolean };

const UNSETTLED: readonly PurchaseStatus[] = ['pending', 'clearing', 'failed', 'canceled'];

/** The status that a reading leads to, or null when nothing changes. */
export function decidePurchase(
  current: PurchaseStatus,
  reading: Reading,
  snapshot: Snapshot,
): PurchaseStatus | null {
  switch (reading.status) {
    case 'open':
    case 'declined':
      return null;
    case 'clearing':
      return current === 'pending' ? 'clearing' : null;
    case 'failed':
      return current === 'pending' || current === 'clearing' ? 'failed' : null;
    case 'expired':
      return current === 'pending' ? 'canceled' : null;
    case 'paid':
      return UNSETTLED.includes(current) ? decidePaid(reading, snapshot) : null;
    default:
      return null;
  }
}

// Money that differs from the snapshot, or pays for an owned product, never becomes access.
function decidePaid(reading: Reading, snapshot: Snapshot): 'cleared' | 'quarantined' {
  return isSameMoney(reading, snapshot) && !snapshot.isOwnedAlready ? 'cleared' : 'quarantined';
}

/**
 * True while the workflow waits for the processor. After a declined card it ends: another try
 * starts it again.
 */
export function isPurchaseOpen(status: PurchaseStatus, reading: Reading['status'] | null): boolean {
  return (status === 'pending' && reading !== 'declined') || status === 'clearing';
}

/** True when the money has arrived: only returns can follow. */
export function hasReceivedMoney(status: PurchaseStatus): boolean {
  return (
    status === 'cleared' ||
    status === 'quarantined' ||
    status === 'refunded' ||
    status === 'charged_back'
  );
}

const CLEARING_WAIT_MS = 6 * 60 * MINUTE_MS;
const OVERDUE_WAIT_MS = 10 * MINUTE_MS;

/**
 * The wait for an event before the processor is asked, so that no purchase depends on a lost
 * message.
 */
export function waitForNewsMs(purchase: {
  status: PurchaseStatus | 'declined';
  isDeadLettered: boolean;
  remainingMs: number;
}): number {
  if (purchase.status === 'clearing' || purchase.isDeadLettered) return CLEARING_WAIT_MS;
  return purchase.remainingMs > 0 ? purchase.remainingMs + MINUTE_MS : OVERDUE_WAIT_MS;
}
