import type { Stripe } from 'stripe';
import type { SubscriptionReading } from '../../domain/billing/recurring/processor-snapshot.ts';
import { expectObject, idOf, UnknownProcessorState } from './errors.ts';
import { readCharges, type SubscriptionCharge } from './invoices.ts';
import { loadStripe } from './stripe.ts';

export type SubscriptionState = Omit<SubscriptionReading, 'charges'> & {
  periodStart: Date;
  charges: SubscriptionCharge[];
};

/** Repeated calls with one key are one call. */
export type SubscriptionKey = { subscriptionId: string; key: string };

/** `isCancel: false` resumes it. */
export type CancelAtPeriodEndInput = SubscriptionKey & { isCancel: boolean };

export type PayoutMoveInput = SubscriptionKey & {
  payoutAccount: string;
  applicationFeeBasisPoints: number;
};

export type CardUpdateInput = SubscriptionKey & { returnUrl: string };

export async function readSubscription(stripe: Stripe, id: string): Promise<SubscriptionState> {
  return readInFull(stripe, await retrieve(stripe, id));
}

export async function cancelAtPeriodEnd(
  stripe: Stripe,
  { subscriptionId: id, key, isCancel }: CancelAtPeriodEndInput,
): Promise<SubscriptionState> {
  return unlessEnded(stripe, id, async () => {
    const change = { cancel_at_period_end: isCancel };
    const changed = await stripe.subscriptions.update(id, change, { idempotencyKey: key });
    if (isCancel || changed.cancel_at === null) return changed;
    // The processor's own pages write a date instead.
    return stripe.subscriptions.update(id, { cancel_at: '' }, { idempotencyKey: `${key}-date` });
  });
}

export async function cancelSubscription(
  stripe: Stripe,
  { subscriptionId: id, key }: SubscriptionKey,
): Promise<SubscriptionState> {
  return unlessEnded(stripe, id, () =>
    stripe.subscriptions.cancel(id, {}, { idempotencyKey: key }),
  );
}

/** Moves the payouts from the next charge on. */
export async function movePayouts(
  stripe: Stripe,
  { subscriptionId: id, key, payoutAccount, applicationFeeBasisPoints }: PayoutMoveInput,
): Promise<SubscriptionState> {
  const share = {
    transfer_data: { destination: payoutAccount },
    application_fee_percent: applicationFeeBasisPoints / 100,
  };
  return unlessEnded(stripe, id, () =>
    stripe.subscriptions.update(id, share, { idempotencyKey: key }),
  );
}

export async function openCardUpdate(
  stripe: Stripe,
  { subscriptionId, returnUrl, key }: CardUpdateInput,
): Promise<{ url: string }> {
  const customer = idOf((await retrieve(stripe, subscriptionId)).customer);
  if (!customer) throw new UnknownProcessorState(`subscription ${subscriptionId} of nobody`);
  const page = await stripe.billingPortal.sessions.create(
    { customer, return_url: returnUrl, flow_data: { type: 'payment_method_update' } },
    { idempotencyKey: key },
  );
  expectObject(page, 'billing_portal.session');
  return { url: page.url };
}

/** The processor refuses to change an ended subscription, which is the wanted state. */
async function unlessEnded(stripe: Stripe, id: string, change: () => Promise<Stripe.Subscription>) {
  let refusal: unknown;
  try {
    expectObject(await change(), 'subscription');
  } catch (error) {
    if (!(error instanceof loadStripe().errors.StripeInvalidRequestError)) throw error;
    refusal = error;
  }
  // A repeated key returns the state at its first use.
  const subscription = await retrieve(stripe, id);
  if (refusal && decideStatus(subscription) !== 'ended') throw refusal;
  return readInFull(stripe, subscription);
}

async function retrieve(stripe: Stripe, id: string): Promise<Stripe.Subscription> {
  const subscription = await stripe.subscriptions.retrieve(id);
  expectObject(subscription, 'subscription');
  return subscription;
}

async function readInFull(stripe: Stripe, subscription: Stripe.Subscription) {
  const { id } = subscription;
  const isEnded = decideStatus(subscription) === 'ended';
  return decideReading(subscription, await readCharges(stripe, { id, isEnded }));
}

/** The reading of a subscription of the processor. */
export function decideReading(subscription: Stripe.Subscription, charges: SubscriptionCharge[]) {
  const { id, items, cancel_at: cancelAt, ended_at: endedAt } = subscription;
  const item = items.data[0];
  if (!item) throw new UnknownProcessorState(`subscription ${id} without an item`);
  const status = decideStatus(subscription);
  const isUnpaid = charges.some((charge) => charge.isFirst && charge.status !== 'paid');
  const isEndDated = cancelAt !== null && cancelAt <= item.current_period_end;
  return {
    processorId: id,
    // The processor lets a subscription begin while its first payment is on its way.
    status: isUnpaid && status !== 'ended' ? 'incomplete' : status,
    periodStart: new Date(item.current_period_start * 1_000),
    periodEnd: new Date(item.current_period_end * 1_000),
    isCancelAtPeriodEnd: subscription.cancel_at_period_end || isEndDated,
    endedAt: endedAt === null ? null : new Date(endedAt * 1_000),
    payoutAccount: idOf(subscription.transfer_data?.destination),
    charges,
  };
}

const STATUSES: Record<string, SubscriptionState['status']> = {
  incomplete: 'incomplete',
  active: 'active',
  past_due: 'past_due',
  canceled: 'ended',
  incomplete_expired: 'ended',
  // All tries failed.
  unpaid: 'ended',
};

function decideStatus({ id, status }: Stripe.Subscription): SubscriptionState['status'] {
  const known = STATUSES[status];
  if (!known) throw new UnknownProcessorState(`subscription ${id}: ${status}`);
  return known;
}
