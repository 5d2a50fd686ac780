// The states of purchases as sellers tell them apart.
import type { PurchaseStatus } from './purchase-status.ts';

export const SALE_STATES = [
  'paid',
  'clearing',
  'refunded',
  'disputed',
  'failed',
  'unfinished',
] as const;

export type SaleState = (typeof SALE_STATES)[number];

/** A purchase is disputed while its bank decides, too, and then in no other state. */
export const STATUSES_OF: Record<SaleState, readonly PurchaseStatus[]> = {
  paid: ['cleared'],
  clearing: ['clearing', 'quarantined'],
  refunded: ['refunded'],
  disputed: ['charged_back'],
  failed: ['failed'],
  unfinished: ['pending', 'canceled'],
};

/** More purchases of a state are not counted. */
export const MOST_COUNTED = 10_000;

export type SaleCounts = Record<SaleState | 'all', number>;

/** Adds all but the checkouts that were never paid. */
export function addAll(counts: Record<SaleState, number>): SaleCounts {
  const { unfinished, ...others } = counts;
  const sum = Object.values(others).reduce((total, count) => total + count, 0);
  return { ...others, unfinished, all: Math.min(sum, MOST_COUNTED) };
}
