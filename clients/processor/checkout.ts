import type { Stripe } from 'stripe';
import type { CheckoutReading } from './checkout-state.ts';
import { toProcessorAmount, toProcessorFee } from './amounts.ts';
import { expectObject, idOf, nameWhatIsPaid, UnknownProcessorState } from './errors.ts';
import { mainPaymentOf } from './invoices.ts';
import { loadStripe } from './stripe.ts';

export type OpenCheckoutInput = {
  /** Serves as the idempotency key: a checkout opens one session, however often it is called. */
  checkoutId: string;
  /** One of the two is paid for. */
  purchaseId?: string | undefined;
  membershipId?: string | undefined;
  productName: string;
  amountMinor: number;
  /** ISO 4217, upper case. */
  currency: string;
  customerEmail: string;
  /** The receiver of the money, less our fee; null leaves all of it with the platform. */
  payoutAccount: string | null;
  /** The fee of a single payment. */
  applicationFeeMinor: number;
  /** The fee of each charge of a subscription. */
  applicationFeeBasisPoints: number;
  /** Is null for a single payment. */
  recurring: { interval: 'month' | 'year' } | null;
  successUrl: string;
  cancelUrl: string;
};

type Session = Stripe.Checkout.Session;
type SessionParameters = Stripe.Checkout.SessionCreateParams;

export async function openCheckout(stripe: Stripe, input: OpenCheckoutInput) {
  const session = await stripe.checkout.sessions.create(
    {
      line_items: [{ quantity: 1, price_data: describePrice(input) }],
      client_reference_id: input.checkoutId,
      customer_email: input.customerEmail,
      // Otherwise a setting of the dashboard may convert the currency.
      adaptive_pricing: { enabled: false },
      metadata: metadataOf(input),
      ...(input.recurring ? describeSubscription(input) : describePayment(input)),
      success_url: input.successUrl,
      cancel_url: input.cancelUrl,
    },
    { idempotencyKey: input.checkoutId },
  );
  expectObject(session, 'checkout.session');
  if (!session.url) throw new UnknownProcessorState(`checkout session ${session.id} without a URL`);
  return {
    sessionId: session.id,
    url: session.url,
    expiresAt: new Date(session.expires_at * 1_000),
  };
}

function describePrice(input: OpenCheckoutInput) {
  return {
    currency: input.currency.toLowerCase(),
    unit_amount: toProcessorAmount(input.amountMinor, input.currency),
    product_data: { name: input.productName },
    ...(input.recurring ? { recurring: { interval: input.recurring.interval } } : {}),
  };
}

function metadataOf(input: OpenCheckoutInput) {
  return { checkout_id: input.checkoutId, ...nameWhatIsPaid(input) };
}

function describePayment(input: OpenCheckoutInput) {
  const fee = toProcessorFee(input.applicationFeeMinor, input.currency);
  return {
    mode: 'payment',
    payment_intent_data: {
      metadata: metadataOf(input),
      ...passOn(input, { application_fee_amount: fee }),
    },
  } satisfies SessionParameters;
}

/** The processor takes its share of each charge as a percentage with at most two decimals. */
function describeSubscription(input: OpenCheckoutInput) {
  const percent = input.applicationFeeBasisPoints / 100;
  return {
    mode: 'subscription',
    subscription_data: {
      metadata: metadataOf(input),
      ...passOn(input, { application_fee_percent: percent }),
    },
  } satisfies SessionParameters;
}

/** A fee is taken from the transfer; without a transfer the whole amount stays here. */
function passOn<Fee extends object>({ payoutAccount }: OpenCheckoutInput, fee: Fee) {
  return payoutAccount === null ? {} : { transfer_data: { destination: payoutAccount }, ...fee };
}

export async function expireCheckout(stripe: Stripe, sessionId: string): Promise<void> {
  try {
    expectObject(await stripe.checkout.sessions.expire(sessionId), 'checkout.session');
  } catch (error) {
    if (!(error instanceof loadStripe().errors.StripeInvalidRequestError)) throw error;
    const { session } = await readCheckout(stripe, sessionId);
    if (session.status === 'open') throw error;
  }
}

export async function readCheckout(stripe: Stripe, sessionId: string): Promise<CheckoutReading> {
  const session = await stripe.checkout.sessions.retrieve(sessionId, {
    expand: ['payment_intent', 'invoice.payments'],
  });
  expectObject(session, 'checkout.session');
  const intent = session.payment_intent ?? (await findFirstIntent(stripe, session));
  if (typeof intent !== 'string') return { session, intent };
  throw new UnknownProcessorState(`payment intent of ${session.id} is not expanded`);
}

/** A subscription's session names no payment; its first invoice does. */
async function findFirstIntent(stripe: Stripe, { id, invoice }: Session) {
  if (!invoice) return null;
  if (typeof invoice === 'string') {
    throw new UnknownProcessorState(`invoice of ${id} is not expanded`);
  }
  const intentId = idOf(mainPaymentOf(invoice)?.payment.payment_intent);
  if (intentId === null) return null;
  const intent = await stripe.paymentIntents.retrieve(intentId);
  expectObject(intent, 'payment_intent');
  return intent;
}
