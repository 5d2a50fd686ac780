// The words for states: each has one word and one tone on every page.
import type { HtmlSafeString } from '@prairielearn/html';
import type { PurchaseStatus } from '../../domain/billing/purchases/purchase-status.ts';
import { pill } from './parts/pill.ts';

type Pill = Parameters<typeof pill>[0];

const PURCHASES: Record<PurchaseStatus | 'disputed' | 'part_refunded', Pill> = {
  pending: { word: 'Not finished', tone: 'neutral' },
  clearing: { word: 'Clearing', tone: 'info' },
  cleared: { word: 'Paid', tone: 'ok' },
  failed: { word: 'Failed', tone: 'bad' },
  canceled: { word: 'Cancelled', tone: 'neutral' },
  quarantined: { word: 'Under review', tone: 'warn' },
  disputed: { word: 'Disputed', tone: 'bad' },
  part_refunded: { word: 'Part refunded', tone: 'warn' },
  refunded: { word: 'Refunded', tone: 'neutral' },
  charged_back: { word: 'Charged back', tone: 'bad' },
};

export type PurchaseState = {
  status: PurchaseStatus;
  isPartlyRefunded?: boolean;
  /** The bank has yet to decide. */
  isDisputed?: boolean;
};

/** A purchase, or one payment of a subscription. */
export function purchasePill(purchase: PurchaseState): HtmlSafeString {
  const state = toState(purchase);
  return pill({ ...PURCHASES[state], state });
}

function toState({ status, isPartlyRefunded, isDisputed }: PurchaseState): keyof typeof PURCHASES {
  if (isDisputed) return 'disputed';
  return status === 'cleared' && isPartlyRefunded ? 'part_refunded' : status;
}
