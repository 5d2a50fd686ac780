// What a reading of the processor's checkout means for a purchase (statuses move only along these arrows).

import { isAsAgreed, type Money } from './agreed.ts';

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

/** The processor's checkout as it stands: `declined` is still open, its last card was refused. */
export type Reading = Money & {
  status: 'open' | 'declined' | 'clearing' | 'paid' | 'failed' | 'expired';
};

export type Snapshot = Money & { isOwnedAlready: boolean };

const UNSETTLED: readonly PurchaseStatus[] = ['pending', 'clearing', 'failed', 'canceled'];

/** The status that a reading leads to, or null where it changes nothing. */
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

// Money that differs from the snapshot, or comes for what is owned already, never becomes access.
function decidePaid(reading: Reading, snapshot: Snapshot): 'cleared' | 'quarantined' {
  return isAsAgreed(reading, snapshot) && !snapshot.isOwnedAlready ? 'cleared' : 'quarantined';
}

/**
 * True while the purchase's actor has to wait for the processor. After a declined card it does not:
 * a buyer who tries another one starts it again.
 */
export function isPurchaseOpen(status: PurchaseStatus, reading: Reading['status'] | null): boolean {
  return (status === 'pending' && reading !== 'declined') || status === 'clearing';
}

/** True once the money of a purchase has come: what follows can only be its way back. */
export function isSettled(status: PurchaseStatus): boolean {
  return (
    status === 'cleared' ||
    status === 'quarantined' ||
    status === 'refunded' ||
    status === 'charged_back'
  );
}

const MINUTE_MS = 60_000;
const CLEARING_WAIT_MS = 6 * 60 * MINUTE_MS;
const OVERDUE_WAIT_MS = 10 * MINUTE_MS;

/** How long to wait for a word of the processor before asking it: no purchase waits for a lost message. */
export function waitForNewsMs(purchase: {
  status: PurchaseStatus | 'declined';
  isParked: boolean;
  remainingMs: number;
}): number {
  if (purchase.status === 'clearing' || purchase.isParked) return CLEARING_WAIT_MS;
  return purchase.remainingMs > 0 ? purchase.remainingMs + MINUTE_MS : OVERDUE_WAIT_MS;
}
