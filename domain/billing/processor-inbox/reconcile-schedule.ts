// The time after which reconciliation asks the processor about a purchase by itself.
import type { PurchaseStatus } from '../purchases/purchase-status.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/instant.ts';

// Beyond the slowest bank debit. Later money still has its event.
const LATE_MONEY_MS = 32 * DAY_MS;

const CLEARING_STUCK_DAYS = 14;
const PENDING_STUCK_DAYS = 4;

export type WaitingPurchase = {
  status: PurchaseStatus;
  ageMs: number;
  /** The milliseconds until the processor's session ends by itself. */
  remainingMs: number;
  hasSession: boolean;
  hasOpenDispute: boolean;
  hasOpenRefund: boolean;
};

/**
 * Returns null when there is nothing left to ask. A pending or clearing purchase is asked about for
 * ever. While it may be paid, the interval doubles, since a buyer may be looking at the page. A
 * failed or cancelled purchase is asked about a few times more, because money may come late and its
 * event may be lost.
 */
export function decidePurchaseAskAgainMs(waiting: WaitingPurchase): number | null {
  const { status, ageMs, remainingMs, hasSession, hasOpenDispute, hasOpenRefund } = waiting;
  if (status === 'pending') return remainingMs > 0 ? Math.max(10 * MINUTE_MS, ageMs) : HOUR_MS;
  if (status === 'clearing') return 12 * HOUR_MS;
  if (hasOpenDispute || hasOpenRefund) return DAY_MS;
  const isEnded = status === 'failed' || status === 'canceled';
  return isEnded && hasSession && ageMs < LATE_MONEY_MS ? Math.max(DAY_MS, ageMs) : null;
}

export type StuckKind = 'clearing_stuck' | 'purchase_unresolved';

/** The alert for a purchase whose outcome is still unknown. */
export function decideStuck(waiting: {
  status: PurchaseStatus;
  ageMs: number;
  hasOldEvent: boolean;
}): StuckKind | null {
  const { status, ageMs, hasOldEvent } = waiting;
  if (status === 'clearing' && ageMs >= CLEARING_STUCK_DAYS * DAY_MS) return 'clearing_stuck';
  if (status === 'pending' && ageMs >= PENDING_STUCK_DAYS * DAY_MS) return 'purchase_unresolved';
  return hasOldEvent ? 'purchase_unresolved' : null;
}
