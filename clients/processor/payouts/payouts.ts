import type { Stripe } from 'stripe';
import type { PayoutReading } from '../../../domain/catalog/payouts/payout-failure.ts';
import { fromProcessorAmount } from '../amounts.ts';
import { expectObject, UnknownProcessorState } from '../errors.ts';

const STATUSES: Record<string, PayoutReading['status']> = {
  paid: 'paid',
  failed: 'failed',
  pending: 'under_way',
  in_transit: 'under_way',
  // Its money goes with another payout.
  canceled: 'under_way',
};

export type PayoutKey = { account: string; payoutId: string };

/** A payout of a seller's account to the seller's bank. */
export async function readPayout(stripe: Stripe, { account, payoutId }: PayoutKey) {
  const payout = await stripe.payouts.retrieve(payoutId, {}, { stripeAccount: account });
  expectObject(payout, 'payout');
  const status = STATUSES[payout.status];
  if (!status) throw new UnknownProcessorState(`payout ${payout.id}: ${payout.status}`);
  const currency = payout.currency.toUpperCase();
  return {
    id: payout.id,
    status,
    amountMinor: fromProcessorAmount(payout.amount, currency),
    currency,
    failureCode: payout.failure_code,
    createdAt: new Date(payout.created * 1_000),
  };
}
