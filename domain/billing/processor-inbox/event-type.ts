// The processor's events that cause a reading.

const CHECKOUT = [
  'checkout.session.completed',
  'checkout.session.expired',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
] as const;

const PAYMENT = [
  'payment_intent.created',
  'payment_intent.requires_action',
  'payment_intent.processing',
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'payment_intent.canceled',
  'charge.pending',
  'charge.succeeded',
  'charge.failed',
  'charge.updated',
] as const;

const DISPUTE = [
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
] as const;

const REFUND = [
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.refunded',
  'charge.refund.updated',
] as const;

const SUBSCRIPTION = [
  'invoice.paid',
  'invoice.payment_failed',
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
] as const;

/** An event of a seller's payout account; it concerns no purchase. */
export const ACCOUNT_EVENT = 'account.updated';

/** Events of a seller's account: its money went to the seller's bank, or came back. */
export const PAYOUT_EVENTS = ['payout.failed', 'payout.paid'] as const;

export const REFUND_EVENTS: readonly string[] = REFUND;
export const DISPUTE_EVENTS: readonly string[] = DISPUTE;
/** Return events mean nothing before the money has arrived. */
export const RETURN_EVENTS: readonly string[] = [...REFUND, ...DISPUTE];
export const SUBSCRIPTION_EVENTS: readonly string[] = SUBSCRIPTION;

const HANDLED: readonly string[] = [
  ...CHECKOUT,
  ...PAYMENT,
  ...DISPUTE,
  ...REFUND,
  ...SUBSCRIPTION,
  ACCOUNT_EVENT,
  ...PAYOUT_EVENTS,
];

/** True for events about a seller, not about a purchase: `refreshPayoutAccounts` acts on them. */
export function isOfSeller(type: string): boolean {
  return [ACCOUNT_EVENT, ...PAYOUT_EVENTS].some((each) => each === type);
}

export function isHandledType(type: string): boolean {
  return HANDLED.includes(type);
}

/**
 * Why one of them is dead-lettered: its type is not followed, it names nothing that is known, or it speaks of
 * the return of money that is not known to have come.
 */
export const UNKNOWN_TYPE = 'unknown_type';
export const UNKNOWN_PURCHASE = 'unknown_purchase';
export const PAYMENT_NOT_RECEIVED = 'payment_not_received';
