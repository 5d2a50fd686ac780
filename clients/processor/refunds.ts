import type { Stripe } from 'stripe';
import type { RefundReading } from '../../domain/billing/refunds/refund-status.ts';
import { fromProcessorAmount, toProcessorAmount } from './amounts.ts';
import { expectObject, nameWhatIsPaid, UnknownProcessorState } from './errors.ts';

export type RefundInput = {
  /** Serves as the idempotency key. */
  refundId: string;
  /** One of the two was paid for. */
  purchaseId?: string | undefined;
  membershipId?: string | undefined;
  paymentIntentId: string;
  amountMinor: number;
  /** ISO 4217, upper case. */
  currency: string;
  reason: 'duplicate' | 'fraudulent' | 'requested_by_customer' | null;
};

export type RefundState = ReturnType<typeof decideRefundState>;

const MOST_REFUNDS = 1_000;

/**
 * Money that was passed on to the seller is taken back from the seller's account, with our fee's
 * share.
 */
export async function refund(stripe: Stripe, input: RefundInput): Promise<RefundState> {
  const intent = await stripe.paymentIntents.retrieve(input.paymentIntentId);
  expectObject(intent, 'payment_intent');
  const wasPassedOn = Boolean(intent.transfer_data?.destination);
  const hasFee = (intent.application_fee_amount ?? 0) > 0;
  const made = await stripe.refunds.create(
    {
      payment_intent: input.paymentIntentId,
      amount: toProcessorAmount(input.amountMinor, input.currency),
      metadata: { refund_id: input.refundId, ...nameWhatIsPaid(input) },
      ...(input.reason ? { reason: input.reason } : {}),
      ...(wasPassedOn ? { reverse_transfer: true } : {}),
      ...(wasPassedOn && hasFee ? { refund_application_fee: true } : {}),
    },
    { idempotencyKey: input.refundId },
  );
  return decideRefundState(made);
}

export async function listRefunds(stripe: Stripe, paymentIntentId: string): Promise<RefundState[]> {
  const listed = await stripe.refunds
    .list({ payment_intent: paymentIntentId, limit: 100 })
    .autoPagingToArray({ limit: MOST_REFUNDS });
  return listed.map(decideRefundState);
}

/** The state of a refund of the processor. */
export function decideRefundState(made: Stripe.Refund) {
  expectObject(made, 'refund');
  const currency = made.currency.toUpperCase();
  return {
    processorId: made.id,
    // Our own id; null for a refund made elsewhere.
    refundId: made.metadata?.['refund_id'] ?? null,
    status: decideStatus(made),
    amountMinor: fromProcessorAmount(made.amount, currency),
    currency,
    failure: made.failure_reason ?? null,
  };
}

function decideStatus({ id, status }: Stripe.Refund): RefundReading {
  switch (status) {
    case 'pending':
    case 'requires_action':
      return 'pending';
    case 'succeeded':
    case 'failed':
    case 'canceled':
      return status;
    default:
      throw new UnknownProcessorState(`refund ${id}: ${status}`);
  }
}
