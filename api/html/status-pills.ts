// The words for states: each has one word and one tone on every page.
import type { HtmlSafeString } from '@prairielearn/html';
import type { SubscriptionView } from '../../domain/billing/product-subscriptions/subscription-view.repository.ts';
import type { PurchaseStatus } from '../../domain/billing/purchases/purchase-status.ts';
import type { PayoutAccountView } from '../../domain/catalog/payouts/payout-account.repository.ts';
import type { ManagedProduct } from '../../domain/catalog/product.repository.ts';
import type { OwnerPayout } from '../../domain/pool/payout-lines/owner-payouts.repository.ts';
import { pill } from './parts/pill.ts';

type Pill = Parameters<typeof pill>[0];

const PRODUCTS: Record<ManagedProduct['state'], Pill> = {
  draft: { word: 'Draft', tone: 'info' },
  listed: { word: 'Listed', tone: 'ok', isLive: true },
  unlisted: { word: 'Unlisted', tone: 'neutral' },
  removed: { word: 'Removed', tone: 'neutral' },
};

export function productPill({ state }: Pick<ManagedProduct, 'state'>): HtmlSafeString {
  return pill({ ...PRODUCTS[state], state });
}

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

export const SUBSCRIPTIONS: Record<SubscriptionView['status'], Pill> = {
  // Its checkout is open, or its payment is being confirmed.
  incomplete: { word: 'Not active yet', tone: 'neutral' },
  active: { word: 'Active', tone: 'ok' },
  past_due: { word: 'Payment failed', tone: 'bad' },
  canceling: { word: 'Ending', tone: 'warn' },
  ended: { word: 'Ended', tone: 'neutral' },
};

/** A subscription to a product, or a membership. */
export function subscriptionPill({ status }: Pick<SubscriptionView, 'status'>): HtmlSafeString {
  return pill({ ...SUBSCRIPTIONS[status], state: status });
}

export const PAYOUT_ACCOUNTS = {
  none: { word: 'Not set up', tone: 'neutral' },
  failed: { word: 'Payout failed', tone: 'bad' },
  enabled: { word: 'Enabled', tone: 'ok' },
  in_review: { word: 'In review', tone: 'info' },
  needs_details: { word: 'Needs details', tone: 'warn' },
} as const satisfies Record<string, Pill>;

type PayoutAccount = Pick<PayoutAccountView, 'failedPayout' | 'canCharge' | 'isSubmitted'>;

/** The account that a seller is paid to; null before there is one. */
export function payoutAccountPill(account: PayoutAccount | null): HtmlSafeString {
  const state = toAccountState(account);
  return pill({ ...PAYOUT_ACCOUNTS[state], state });
}

function toAccountState(account: PayoutAccount | null): keyof typeof PAYOUT_ACCOUNTS {
  if (account === null) return 'none';
  if (account.failedPayout) return 'failed';
  if (account.canCharge) return 'enabled';
  return account.isSubmitted ? 'in_review' : 'needs_details';
}

export const PAYOUTS: Record<OwnerPayout['status'], Pill> = {
  paying: { word: 'On its way', tone: 'info', isLive: true },
  paid: { word: 'Paid', tone: 'ok' },
  failed: { word: 'Failed', tone: 'bad' },
};

/** A payout of the creator pool. */
export function payoutPill({ status }: Pick<OwnerPayout, 'status'>): HtmlSafeString {
  return pill({ ...PAYOUTS[status], state: status });
}
