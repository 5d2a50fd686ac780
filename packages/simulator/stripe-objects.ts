import type { Stripe } from 'stripe';
import { seconds } from './unix-time.ts';

export type IntentRow = {
  id: string;
  status: 'requires_payment_method' | 'requires_action' | 'processing' | 'succeeded' | 'canceled';
  error_code: string | null;
  /** Is null where it is its session's. */
  destination: string | null;
  created_at: string;
};

export type SessionRow = {
  id: string;
  status: 'open' | 'complete' | 'expired';
  payment_status: 'unpaid' | 'paid';
  amount: string;
  currency: string;
  product_name: string;
  customer_email: string | null;
  client_reference_id: string | null;
  metadata: Record<string, string>;
  intent_metadata: Record<string, string>;
  destination: string | null;
  application_fee: string | null;
  success_url: string;
  cancel_url: string;
  created_at: Date;
  expires_at: Date;
  /** True past the session's end, whether the loop has already noticed or not. */
  is_over: boolean;
  read_at: Date;
  intent: IntentRow | null;
  /** Is null for a single payment. */
  recurring_interval: 'month' | 'year' | null;
  /** The subscription that a complete session has begun. */
  subscription_id: string | null;
  customer_id: string | null;
  invoice_id: string | null;
};

export function presentSession(row: SessionRow, publicUrl: string) {
  const isRecurring = row.recurring_interval !== null;
  return {
    id: row.id,
    object: 'checkout.session' as const,
    adaptive_pricing: { enabled: false },
    amount_subtotal: Number(row.amount),
    amount_total: Number(row.amount),
    cancel_url: row.cancel_url,
    client_reference_id: row.client_reference_id,
    created: seconds(row.created_at),
    currency: row.currency,
    customer: row.customer_id,
    customer_email: row.customer_email,
    expires_at: seconds(row.expires_at),
    invoice: row.invoice_id,
    livemode: false,
    metadata: row.metadata,
    mode: isRecurring ? ('subscription' as const) : ('payment' as const),
    payment_intent: isRecurring ? null : (row.intent?.id ?? null),
    payment_method_types: ['card'],
    payment_status: row.payment_status,
    status: row.status,
    subscription: row.subscription_id,
    success_url: row.success_url,
    url: row.status === 'open' ? `${publicUrl}/pay/${row.id}` : null,
  } satisfies Partial<Stripe.Checkout.Session>;
}

export function presentIntent(row: SessionRow, intent: IntentRow) {
  const destination = intent.destination ?? row.destination;
  return {
    id: intent.id,
    object: 'payment_intent' as const,
    amount: Number(row.amount),
    amount_received: intent.status === 'succeeded' ? Number(row.amount) : 0,
    application_fee_amount: row.application_fee === null ? null : Number(row.application_fee),
    created: seconds(new Date(intent.created_at)),
    currency: row.currency,
    latest_charge: intent.status === 'succeeded' ? chargeOf(intent) : null,
    last_payment_error: intent.error_code === null ? null : presentDecline(intent.error_code),
    livemode: false,
    // The metadata of a subscription is its own, and not on its payments.
    metadata: row.recurring_interval === null ? row.intent_metadata : {},
    payment_method_types: ['card'],
    status: intent.status,
    transfer_data: destination === null ? null : { destination },
  } satisfies Partial<Stripe.PaymentIntent>;
}

const chargeOf = ({ id }: IntentRow) => id.replace(/^pi_/, 'ch_');

/** Returns null for an intent without money; a charge is settled at once, in its own currency. */
export function presentCharge(row: SessionRow, intent: IntentRow) {
  if (intent.status !== 'succeeded') return null;
  const amount = Number(row.amount);
  const fee = feeOf(amount);
  const settled = {
    id: intent.id.replace(/^pi_/, 'txn_'),
    object: 'balance_transaction' as const,
    amount,
    currency: row.currency,
    fee,
    net: amount - fee,
    type: 'charge' as const,
  };
  return {
    id: chargeOf(intent),
    object: 'charge' as const,
    amount,
    balance_transaction: settled as Stripe.BalanceTransaction,
    created: seconds(new Date(intent.created_at)),
    currency: row.currency,
    livemode: false,
    paid: true,
    payment_intent: intent.id,
    status: 'succeeded' as const,
  } satisfies Partial<Stripe.Charge>;
}

/** 2.9 % and 30 units of a charge, rounded up. */
function feeOf(amount: number): number {
  return Math.ceil((amount * 29) / 1_000) + 30;
}

function presentDecline(code: string) {
  const decline = { type: 'card_error' as const, code, message: 'Your card was declined.' };
  return decline as Stripe.PaymentIntent.LastPaymentError;
}

export type RefundRow = {
  id: string;
  intent_id: string;
  amount: string;
  currency: string;
  status: 'pending' | 'succeeded' | 'failed';
  reason: string | null;
  failure_reason: string | null;
  metadata: Record<string, string>;
  transfer_reversal: string | null;
  created_at: Date;
  read_at: Date;
};

export function presentRefund(row: RefundRow) {
  return {
    id: row.id,
    object: 'refund' as const,
    amount: Number(row.amount),
    created: seconds(row.created_at),
    currency: row.currency,
    metadata: row.metadata,
    payment_intent: row.intent_id,
    reason: row.reason as Stripe.Refund.Reason | null,
    source_transfer_reversal: null,
    status: row.status,
    transfer_reversal: row.transfer_reversal,
    ...(row.failure_reason === null ? {} : { failure_reason: row.failure_reason }),
  } satisfies Partial<Stripe.Refund>;
}
