/** The lifetime of each mail's link; mails without a link are notices. */
const LINK_HOURS = {
  verify_email: 24,
  change_email: 24,
  email_change_asked: 24,
  reset_password: 1,
} as const;

export type LinkPurpose = keyof typeof LINK_HOURS;

/** Changes that owners are mailed about: a co-owner or an attacker may have made them. */
export type OwnerMailPurpose =
  | 'key_made'
  | 'client_secret_made'
  | 'endpoint_secret_shown'
  | 'owner_added'
  | 'product_transferred'
  | 'payouts_connected'
  | 'payouts_stopped';

/** Mails about money, to a seller or to a buyer: the row keeps what the text says. */
export type MoneyPurpose =
  | 'sale_made'
  | 'sales_of_day'
  | 'refund_made'
  | 'dispute_opened'
  | 'payout_failed'
  | 'pool_paid'
  | 'pool_failed'
  | 'refund_received'
  | 'subscription_cancelled'
  | 'subscription_resumed';

/** The quality seal of a product, to whoever may mend its integration. */
type SealPurpose = 'seal_earned' | 'seal_noticed' | 'seal_lost';

export type PersonalPurpose =
  | LinkPurpose
  | 'known_address'
  | 'email_changed'
  | 'password_changed'
  | 'passkey_added'
  | 'passkey_removed'
  | OwnerMailPurpose
  | 'new_sign_in'
  | 'verification_requested'
  | 'builder_verified'
  | 'builder_declined'
  | 'builder_withdrawn'
  | 'endpoint_failing'
  | 'endpoint_disabled'
  | 'alert_raised'
  | 'operator_recovered'
  | 'renewal_ahead'
  | 'renewal_failed'
  | SealPurpose;

export type MailPurpose =
  | PersonalPurpose
  | MoneyPurpose
  | 'team_invitation'
  | 'purchase_receipt'
  | 'charge_receipt';

// An older notice is useless.
const NOTICE_HOURS = 24;
const INVITATION_HOURS = 7 * 24;
// What happened to money is wanted however late it arrives.
const MONEY_HOURS = 7 * 24;

const OF_MONEY: readonly MailPurpose[] = [
  'purchase_receipt',
  'charge_receipt',
  'sale_made',
  'sales_of_day',
  'refund_made',
  'dispute_opened',
  'payout_failed',
  'pool_paid',
  'pool_failed',
  'refund_received',
  'subscription_cancelled',
  'subscription_resumed',
];

// A seal's news is as true a week later.
const SEAL_HOURS = 7 * 24;
const OF_SEAL: readonly MailPurpose[] = ['seal_earned', 'seal_noticed', 'seal_lost'];

/** The time after which a mail or its link is useless. */
export function readLifetimeHours(purpose: MailPurpose): number {
  if (purpose === 'team_invitation') return INVITATION_HOURS;
  if (OF_MONEY.includes(purpose)) return MONEY_HOURS;
  if (OF_SEAL.includes(purpose)) return SEAL_HOURS;
  return isLinkPurpose(purpose) ? LINK_HOURS[purpose] : NOTICE_HOURS;
}

export function isLinkPurpose(purpose: MailPurpose): purpose is LinkPurpose {
  return purpose in LINK_HOURS;
}
