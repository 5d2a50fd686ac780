import type { Stripe } from 'stripe';
import type { ChargeReading } from '../../domain/billing/recurring/processor-snapshot.ts';
import { fromProcessorAmount } from './amounts.ts';
import { expectObject, idOf, UnknownProcessorState } from './errors.ts';

/** A charge with the id of its invoice. */
export type SubscriptionCharge = ChargeReading & { invoiceId: string };

type Invoice = Stripe.Invoice;

// More than a century of months: a subscription with more invoices is not ours.
const MOST_INVOICES = 1_500;

/** All invoices of a subscription as charges, the oldest first. */
export async function readCharges(stripe: Stripe, subscription: { id: string; isEnded: boolean }) {
  const invoices = await listInvoices(stripe, subscription.id);
  const charges: SubscriptionCharge[] = [];
  for (const invoice of invoices.toReversed()) {
    charges.push(await readCharge(stripe, invoice, subscription));
  }
  return charges;
}

/** The newest first. */
async function listInvoices(stripe: Stripe, subscription: string): Promise<Invoice[]> {
  const found: Invoice[] = [];
  const query = { subscription, limit: 100, expand: ['data.payments'] };
  for (let hasMore = true; hasMore;) {
    const last = found.at(-1);
    const next = last ? { ...query, starting_after: last.id } : query;
    const page = await stripe.invoices.list(next);
    expectObject(page, 'list');
    found.push(...page.data);
    hasMore = page.has_more;
    if (found.length > MOST_INVOICES || (hasMore && page.data.length === 0)) {
      throw new UnknownProcessorState(`invoices of ${subscription} without an end`);
    }
  }
  return found;
}

async function readCharge(stripe: Stripe, invoice: Invoice, { isEnded }: { isEnded: boolean }) {
  expectObject(invoice, 'invoice');
  const paymentIntentId = idOf(mainPaymentOf(invoice)?.payment.payment_intent);
  const isOpen = invoice.status === 'open';
  const isClearing = isOpen && (await isUnderWay(stripe, paymentIntentId));
  const status = isClearing ? 'clearing' : decideStatus(invoice, isEnded);
  const currency = invoice.currency.toUpperCase();
  const amount = status === 'paid' ? invoice.amount_paid : invoice.amount_due;
  const nextAttempt = status === 'open' ? invoice.next_payment_attempt : null;
  return {
    invoiceId: invoice.id,
    paymentIntentId,
    amountMinor: fromProcessorAmount(amount, currency),
    currency,
    status,
    isFirst: invoice.billing_reason === 'subscription_create',
    ...periodOf(invoice),
    attempts: invoice.attempt_count,
    nextAttemptAt: nextAttempt === null ? null : new Date(nextAttempt * 1_000),
  };
}

/** An open invoice does not say whether a payment is on its way; its intent does. */
async function isUnderWay(stripe: Stripe, intentId: string | null): Promise<boolean> {
  if (intentId === null) return false;
  const intent = await stripe.paymentIntents.retrieve(intentId);
  expectObject(intent, 'payment_intent');
  return intent.status === 'processing';
}

/** The processor leaves invoices of an ended subscription open and does not try them again. */
function decideStatus({ id, status }: Invoice, isEnded: boolean): SubscriptionCharge['status'] {
  switch (status) {
    case 'paid':
      return 'paid';
    case 'draft':
    case 'open':
      return isEnded ? 'void' : 'open';
    case 'void':
    case 'uncollectible':
      return 'void';
    default:
      throw new UnknownProcessorState(`invoice ${id}: ${status}`);
  }
}

/** The period of the invoice's line: the invoice's own period is the one before. */
function periodOf(invoice: Invoice): { periodStart: Date; periodEnd: Date } {
  const line = invoice.lines.data[0];
  if (!line) throw new UnknownProcessorState(`invoice ${invoice.id} without a line`);
  const { start, end } = line.period;
  return { periodStart: new Date(start * 1_000), periodEnd: new Date(end * 1_000) };
}

/** The payment that paid the invoice, or else the one that the processor would try. */
export function mainPaymentOf({ id, payments }: Invoice): Stripe.InvoicePayment | undefined {
  if (!payments) throw new UnknownProcessorState(`payments of ${id} are not expanded`);
  const { data } = payments;
  return (
    data.find(({ status }) => status === 'paid') ??
    data.find(({ is_default: isDefault }) => isDefault) ??
    data[0]
  );
}

// Nobody waits for it, and a slow answer must not keep others waiting.
const FEE_REQUEST = { timeout: 3_000, maxNetworkRetries: 0 };

/**
 * What the processor keeps of a charge, in the charge's currency. Null while the charge is not
 * settled, and where it is settled in another currency.
 */
export async function readProcessorFee(stripe: Stripe, paymentIntentId: string) {
  const shown = { expand: ['latest_charge.balance_transaction'] };
  const intent = await stripe.paymentIntents.retrieve(paymentIntentId, shown, FEE_REQUEST);
  expectObject(intent, 'payment_intent');
  const charge = inFull(intent.latest_charge);
  const settled = charge && inFull(charge.balance_transaction);
  if (!settled || settled.currency !== intent.currency) return null;
  if (!Number.isSafeInteger(settled.fee) || settled.fee < 0) {
    throw new UnknownProcessorState(`the fee of ${paymentIntentId}: ${settled.fee}`);
  }
  return fromProcessorAmount(settled.fee, intent.currency.toUpperCase());
}

function inFull<Shown extends object>(named: string | Shown | null): Shown | null {
  if (typeof named !== 'string') return named;
  throw new UnknownProcessorState(`${named} is not expanded`);
}
