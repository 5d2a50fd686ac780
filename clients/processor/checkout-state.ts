import type { Stripe } from 'stripe';
import { fromProcessorAmount } from './amounts.ts';
import { idOf, UnknownProcessorState } from './errors.ts';

/**
 * `declined`: still open, the last attempt was refused. `clearing`: complete, the money is under
 * way. `failed`: complete, and the money did not come.
 */
export type CheckoutStatus = 'open' | 'declined' | 'clearing' | 'paid' | 'failed' | 'expired';

export type CheckoutState = ReturnType<typeof decideCheckoutState>;

type Session = Stripe.Checkout.Session;
type Intent = Stripe.PaymentIntent;

/** A Checkout Session with its payment; a subscription's payment is that of its first invoice. */
export type CheckoutReading = { session: Session; intent: Intent | null };

/** The state of the checkout that the session has to name. */
export function decideCheckoutState({ session, intent }: CheckoutReading, checkoutId?: string) {
  if (checkoutId !== undefined) requireNamed(session, checkoutId);
  const status = decideStatus(session, intent);
  const received = status === 'paid' && intent ? intent : null;
  const amount = received ? received.amount_received : session.amount_total;
  const currency = (received ? received.currency : session.currency)?.toUpperCase();
  if (amount === null || !currency) {
    throw new UnknownProcessorState(`checkout session ${session.id} without an amount`);
  }
  return {
    status,
    amountMinor: fromProcessorAmount(amount, currency),
    currency,
    // A subscription's is that of its first invoice.
    paymentIntentId: intent?.id ?? null,
    // Is null before a subscription has begun, and for a single payment.
    subscriptionId: idOf(session.subscription),
  };
}

function requireNamed(session: Session, checkoutId: string): void {
  const named = [session.metadata?.['checkout_id'], session.client_reference_id ?? checkoutId];
  if (named.every((name) => name === checkoutId)) return;
  throw new UnknownProcessorState(`checkout session ${session.id} is of another checkout`);
}

function decideStatus(session: Session, intent: Intent | null): CheckoutStatus {
  if (session.status === 'expired') return 'expired';
  if (session.status === 'open') return intent ? decideOpen(intent) : 'open';
  if (session.status === 'complete') {
    if (session.payment_status === 'paid') return 'paid';
    if (session.payment_status === 'no_payment_required') return 'paid';
    if (session.payment_status === 'unpaid' && intent) return decideUnpaid(intent);
  }
  throw new UnknownProcessorState(
    `checkout session ${session.id}: ${session.status}, ${session.payment_status}`,
  );
}

function decideOpen(intent: Intent): CheckoutStatus {
  switch (intent.status) {
    case 'requires_payment_method':
      return intent.last_payment_error ? 'declined' : 'open';
    case 'requires_confirmation':
    case 'requires_action':
    case 'requires_capture':
    case 'processing':
    case 'succeeded':
    case 'canceled':
      return 'open';
    default:
      throw unknownIntent(intent);
  }
}

function decideUnpaid(intent: Intent): CheckoutStatus {
  switch (intent.status) {
    case 'requires_payment_method':
    case 'canceled':
      return 'failed';
    case 'requires_confirmation':
    case 'requires_action':
    case 'requires_capture':
    case 'processing':
    case 'succeeded': // the session follows in a moment
      return 'clearing';
    default:
      throw unknownIntent(intent);
  }
}

function unknownIntent(intent: Intent): UnknownProcessorState {
  return new UnknownProcessorState(`payment intent ${intent.id}: ${intent.status}`);
}
