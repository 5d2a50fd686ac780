import type { Stripe } from 'stripe';
import type { IntentRow } from '../stripe-objects.ts';
import { seconds } from '../unix-time.ts';

export type SubscriptionRow = {
  id: string;
  session_id: string;
  customer_id: string;
  status: 'active' | 'past_due' | 'canceled';
  card: string;
  started_at: Date;
  period: number;
  period_start: Date;
  period_end: Date;
  /** The period has passed, whether the loop has already noticed or not. */
  is_over: boolean;
  cancel_at_period_end: boolean;
  canceled_at: Date | null;
  ended_at: Date | null;
  amount: string;
  currency: string;
  product_name: string;
  customer_email: string | null;
  metadata: Record<string, string>;
  destination: string | null;
  application_fee_percent: string | null;
  recurring_interval: 'month' | 'year';
  latest_invoice: string | null;
  read_at: Date;
};

export type InvoiceRow = {
  id: string;
  subscription_id: string;
  customer_id: string;
  customer_email: string | null;
  subscription_metadata: Record<string, string>;
  product_name: string;
  period: number;
  period_start: Date;
  period_end: Date;
  looks_back_to: Date;
  status: 'open' | 'paid';
  amount: string;
  currency: string;
  attempts: number;
  next_attempt_at: Date | null;
  created_at: Date;
  paid_at: Date | null;
  intent: IntentRow | null;
};

export function presentSubscription(row: SubscriptionRow) {
  return {
    id: row.id,
    object: 'subscription' as const,
    application_fee_percent:
      row.application_fee_percent === null ? null : Number(row.application_fee_percent),
    billing_cycle_anchor: seconds(row.started_at),
    cancel_at: row.cancel_at_period_end ? seconds(row.period_end) : null,
    cancel_at_period_end: row.cancel_at_period_end,
    canceled_at: secondsOrNull(row.canceled_at),
    collection_method: 'charge_automatically' as const,
    created: seconds(row.started_at),
    currency: row.currency,
    customer: row.customer_id,
    ended_at: secondsOrNull(row.ended_at),
    items: listOf('/v1/subscription_items', [presentItem(row)]),
    latest_invoice: row.latest_invoice,
    livemode: false,
    metadata: row.metadata,
    start_date: seconds(row.started_at),
    status: row.status,
    transfer_data:
      row.destination === null ? null : { amount_percent: null, destination: row.destination },
  } satisfies Partial<Omit<Stripe.Subscription, 'items'>> & { items: object };
}

function presentItem(row: SubscriptionRow) {
  return {
    id: row.id.replace(/^sub_/, 'si_'),
    object: 'subscription_item' as const,
    current_period_end: seconds(row.period_end),
    current_period_start: seconds(row.period_start),
    quantity: 1,
    subscription: row.id,
  } satisfies Partial<Stripe.SubscriptionItem>;
}

export function presentInvoice(row: InvoiceRow) {
  const amount = Number(row.amount);
  const isPaid = row.status === 'paid';
  return {
    id: row.id,
    object: 'invoice' as const,
    amount_due: amount,
    amount_paid: isPaid ? amount : 0,
    amount_remaining: isPaid ? 0 : amount,
    attempt_count: row.attempts,
    attempted: row.attempts > 0,
    auto_advance: row.next_attempt_at !== null,
    billing_reason: row.period === 0 ? ('subscription_create' as const) : 'subscription_cycle',
    created: seconds(row.created_at),
    currency: row.currency,
    customer: row.customer_id,
    customer_email: row.customer_email,
    lines: listOf(`/v1/invoices/${row.id}/lines`, [presentLine(row)]),
    livemode: false,
    metadata: {},
    next_payment_attempt: secondsOrNull(row.next_attempt_at),
    parent: {
      type: 'subscription_details' as const,
      quote_details: null,
      subscription_details: {
        metadata: row.subscription_metadata,
        subscription: row.subscription_id,
      },
    },
    // Stripe's own words: it looks back by one period, the line does not.
    period_end: seconds(row.period_start),
    period_start: seconds(row.looks_back_to),
    status: row.status,
    total: amount,
  } satisfies Partial<Omit<Stripe.Invoice, 'lines'>> & { lines: object };
}

function presentLine(row: InvoiceRow) {
  return {
    id: row.id.replace(/^in_/, 'il_'),
    object: 'line_item' as const,
    amount: Number(row.amount),
    currency: row.currency,
    description: row.product_name,
    invoice: row.id,
    period: { start: seconds(row.period_start), end: seconds(row.period_end) },
    quantity: 1,
    subscription: row.subscription_id,
  } satisfies Partial<Stripe.InvoiceLineItem>;
}

/** Adds what was paid or tried for the invoice, which Stripe shows only when it is asked to. */
export function presentInvoiceWithPayments(row: InvoiceRow) {
  const payments = row.intent ? [presentPayment(row, row.intent)] : [];
  return { ...presentInvoice(row), payments: listOf('/v1/invoice_payments', payments) };
}

function presentPayment(row: InvoiceRow, intent: IntentRow) {
  const isPaid = row.status === 'paid';
  return {
    id: intent.id.replace(/^pi_/, 'inpay_'),
    object: 'invoice_payment' as const,
    amount_paid: isPaid ? Number(row.amount) : null,
    amount_requested: Number(row.amount),
    created: seconds(row.created_at),
    currency: row.currency,
    invoice: row.id,
    is_default: true,
    livemode: false,
    payment: { type: 'payment_intent' as const, payment_intent: intent.id },
    status: row.status,
    status_transitions: { canceled_at: null, paid_at: secondsOrNull(row.paid_at) },
  } satisfies Stripe.InvoicePayment;
}

export function presentCustomer(row: SubscriptionRow) {
  return {
    id: row.customer_id,
    object: 'customer' as const,
    created: seconds(row.started_at),
    email: row.customer_email,
    livemode: false,
    metadata: {},
  } satisfies Partial<Stripe.Customer>;
}

export type PortalSessionRow = {
  token: string;
  customer_id: string;
  return_url: string;
  created_at: Date;
  is_over: boolean;
};

export function presentPortalSession(row: PortalSessionRow, publicUrl: string) {
  return {
    id: `bps_${row.token.slice(0, 24)}`,
    object: 'billing_portal.session' as const,
    created: seconds(row.created_at),
    customer: row.customer_id,
    livemode: false,
    return_url: row.return_url,
    url: `${publicUrl}/billing/${row.token}`,
  } satisfies Partial<Stripe.BillingPortal.Session>;
}

function listOf<Entry>(url: string, data: Entry[]) {
  return { object: 'list' as const, url, has_more: false, data };
}

function secondsOrNull(at: Date | null): number | null {
  return at === null ? null : seconds(at);
}
