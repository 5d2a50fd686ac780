// Transfers from the platform's balance to the account of an owner of products.
import type { Stripe } from 'stripe';
import { fromProcessorAmount, toProcessorAmount } from '../amounts.ts';
import { expectObject, idOf, UnknownProcessorState } from '../errors.ts';
import { loadStripe } from '../stripe.ts';

export type TransferInput = {
  /** Serves as the idempotency key, and as the name by which the transfer is found. */
  payoutId: string;
  periodId: string;
  account: string;
  amountMinor: number;
  /** ISO 4217, upper case. */
  currency: string;
};

export type TransferState =
  | { is: 'made'; transferId: string }
  /** The account cannot receive it, now or later. */
  | { is: 'refused'; reason: string };

/** Refusals that another attempt does not change, by the processor's code. */
const REFUSALS: Record<string, string> = {
  account_closed: 'The payout account is closed.',
  account_invalid: 'The payment processor does not know the payout account any more.',
  insufficient_capabilities_for_transfer: 'The payout account cannot receive transfers.',
  resource_missing: 'The payment processor does not know the payout account any more.',
  transfers_not_allowed: 'The payout account cannot receive transfers.',
};

export async function createTransfer(stripe: Stripe, input: TransferInput): Promise<TransferState> {
  const { payoutId, periodId, account, amountMinor, currency } = input;
  try {
    const made = await stripe.transfers.create(
      {
        destination: account,
        amount: toProcessorAmount(amountMinor, currency),
        currency: currency.toLowerCase(),
        transfer_group: payoutId,
        metadata: { pool_payout: payoutId, pool_period: periodId },
      },
      { idempotencyKey: payoutId },
    );
    return { is: 'made', transferId: readTransfer(made, input) };
  } catch (error) {
    const reason = refusalOf(error);
    if (reason === null) throw error;
    return { is: 'refused', reason };
  }
}

/** An idempotency key ends after a day, a transfer group never. */
export async function findTransfer(stripe: Stripe, input: TransferInput) {
  const listed = await stripe.transfers.list({ transfer_group: input.payoutId, limit: 1 });
  expectObject(listed, 'list');
  const [transfer] = listed.data;
  return transfer ? { transferId: readTransfer(transfer, input) } : null;
}

/** Another transfer under this name is no answer to build on. */
function readTransfer(transfer: Stripe.Transfer, input: TransferInput): string {
  expectObject(transfer, 'transfer');
  const currency = transfer.currency.toUpperCase();
  const isOurs =
    transfer.transfer_group === input.payoutId &&
    idOf(transfer.destination) === input.account &&
    currency === input.currency &&
    fromProcessorAmount(transfer.amount, currency) === input.amountMinor;
  if (isOurs) return transfer.id;
  throw new UnknownProcessorState(`transfer ${transfer.id} is not that of ${input.payoutId}`);
}

function refusalOf(error: unknown): string | null {
  const isAnswer = error instanceof loadStripe().errors.StripeError;
  return (isAnswer && error.code && REFUSALS[error.code]) || null;
}
