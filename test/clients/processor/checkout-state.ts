import test from 'ava';
import type { Stripe } from 'stripe';
import {
  decideCheckoutState,
  type CheckoutStatus,
} from '../../../clients/processor/checkout-state.ts';
import { UnknownProcessorState } from '../../../clients/processor/processor.ts';

type Facts = { session: string; paid?: string; intent?: string; isDeclined?: boolean };

function state({ session, paid = 'unpaid', intent, isDeclined = false }: Facts) {
  const checkout = {
    id: 'cs_1',
    object: 'checkout.session',
    status: session,
    payment_status: paid,
    amount_total: 1_000,
    currency: 'usd',
  } as Stripe.Checkout.Session;
  const payment = {
    id: 'pi_1',
    status: intent,
    currency: 'eur',
    amount_received: 999,
    last_payment_error: isDeclined ? { code: 'card_declined' } : null,
  } as Stripe.PaymentIntent;
  return decideCheckoutState({ session: checkout, intent: intent ? payment : null });
}

const table: [Facts, CheckoutStatus][] = [
  [{ session: 'open' }, 'open'],
  [{ session: 'open', intent: 'requires_payment_method' }, 'open'],
  [{ session: 'open', intent: 'requires_payment_method', isDeclined: true }, 'declined'],
  [{ session: 'open', intent: 'requires_action', isDeclined: true }, 'open'],
  [{ session: 'open', intent: 'processing' }, 'open'],
  [{ session: 'expired' }, 'expired'],
  [{ session: 'expired', intent: 'canceled' }, 'expired'],
  [{ session: 'complete', paid: 'paid', intent: 'succeeded' }, 'paid'],
  [{ session: 'complete', paid: 'no_payment_required' }, 'paid'],
  [{ session: 'complete', intent: 'processing' }, 'clearing'],
  [{ session: 'complete', intent: 'requires_action' }, 'clearing'],
  [{ session: 'complete', intent: 'succeeded' }, 'clearing'],
  [{ session: 'complete', intent: 'requires_payment_method', isDeclined: true }, 'failed'],
  [{ session: 'complete', intent: 'canceled' }, 'failed'],
];

for (const [facts, status] of table) {
  test(`${JSON.stringify(facts)} is ${status}`, (t) => t.is(state(facts).status, status));
}

const unknown: Facts[] = [
  { session: 'paused' },
  { session: 'open', intent: 'dreaming' },
  { session: 'complete' },
  { session: 'complete', paid: 'half' },
  { session: 'complete', intent: 'dreaming' },
];

for (const facts of unknown) {
  test(`${JSON.stringify(facts)} is not guessed at`, (t) => {
    t.throws(() => state(facts), { instanceOf: UnknownProcessorState });
  });
}

test('once paid, the money that was received counts, not the price that was asked', (t) => {
  const paid = state({ session: 'complete', paid: 'paid', intent: 'succeeded' });
  t.like(paid, { amountMinor: 999, currency: 'EUR', paymentIntentId: 'pi_1' });
  t.like(state({ session: 'open' }), { amountMinor: 1_000, currency: 'USD' });
});

test('a session that names another checkout, or none, settles nothing', (t) => {
  const session = {
    id: 'cs_1',
    status: 'complete',
    payment_status: 'paid',
    amount_total: 1_000,
    currency: 'usd',
    metadata: { checkout_id: 'mine' },
    client_reference_id: 'mine',
  } as unknown as Stripe.Checkout.Session;
  const read = (changes: Partial<Stripe.Checkout.Session>) =>
    decideCheckoutState({ session: { ...session, ...changes }, intent: null }, 'mine');
  t.is(read({}).status, 'paid');
  for (const changes of [
    { metadata: { checkout_id: 'theirs' } },
    { metadata: null },
    { client_reference_id: 'theirs' },
  ]) {
    t.throws(() => read(changes), { instanceOf: UnknownProcessorState });
  }
});
