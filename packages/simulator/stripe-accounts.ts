import type { Stripe } from 'stripe';
import { seconds } from './unix-time.ts';

/**
 * What its owner has told: nothing yet, or all; then the processor looks at it, or it may charge. A
 * closed account is over.
 */
export const ACCOUNT_STATES = ['new', 'in_review', 'enabled', 'closed'] as const;
export type AccountState = (typeof ACCOUNT_STATES)[number];

export type AccountRow = { id: string; email: string; state: AccountState; created_at: Date };

export type AccountLinkRow = {
  token: string;
  account_id: string;
  refresh_url: string;
  return_url: string;
  created_at: Date;
  expires_at: Date;
  /** Used before, or past its end. */
  is_over: boolean;
};

const CAPABILITY = {
  new: 'inactive',
  in_review: 'pending',
  enabled: 'active',
  closed: 'inactive',
} as const;

export function presentAccount(row: AccountRow) {
  const capability = CAPABILITY[row.state];
  const isEnabled = row.state === 'enabled';
  return {
    id: row.id,
    object: 'account' as const,
    capabilities: { card_payments: capability, transfers: capability },
    charges_enabled: isEnabled,
    created: seconds(row.created_at),
    details_submitted: row.state !== 'new',
    email: row.email,
    metadata: {},
    payouts_enabled: isEnabled,
  } satisfies Partial<Stripe.Account>;
}

export function presentAccountLink(row: AccountLinkRow, publicUrl: string) {
  return {
    object: 'account_link' as const,
    created: seconds(row.created_at),
    expires_at: seconds(row.expires_at),
    url: `${publicUrl}/connect/${row.token}`,
  } satisfies Stripe.AccountLink;
}
