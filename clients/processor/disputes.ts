import type { Stripe } from 'stripe';
import type { DisputeReading } from '../../domain/billing/disputes/dispute.repository.ts';
import type {
  ListedDispute,
  Span,
} from '../../domain/billing/processor-inbox/missed-dispute.repository.ts';
import type { DisputeFee } from '../../domain/billing/ledger/ledger.repository.ts';
import type { DisputeStatus } from '../../domain/billing/disputes/dispute-status.ts';
import type { Config } from '../../platform/config.ts';
import { fromProcessorAmount } from './amounts.ts';
import { expectObject, UnknownProcessorState } from './errors.ts';

const STATUSES: Record<string, DisputeStatus> = {
  warning_needs_response: 'warning',
  warning_under_review: 'warning',
  warning_closed: 'closed',
  prevented: 'closed',
  needs_response: 'open',
  under_review: 'open',
  won: 'won',
  lost: 'lost',
  // The dispute stays lost until the appeal is won.
  appeal_needs_response: 'lost',
  appeal_under_review: 'lost',
};

/** The page of the processor where a dispute is answered; the simulator has none. */
export function disputePage(
  { kind, secretKey }: Pick<Config['processor'], 'kind' | 'secretKey'>,
  disputeId: string,
): string | null {
  if (kind !== 'stripe') return null;
  const mode = secretKey.includes('_test_') ? 'test/' : '';
  return `https://dashboard.stripe.com/${mode}disputes/${encodeURIComponent(disputeId)}`;
}

/** All disputes of a payment. */
export async function readDisputes(stripe: Stripe, paymentIntentId: string) {
  const found: DisputeReading[] = [];
  const list = stripe.disputes.list({ payment_intent: paymentIntentId, limit: 100 });
  for await (const dispute of list) found.push(decideReading(dispute));
  return found;
}

/**
 * The disputes of all payments that were opened in a span; a dispute without a payment is not ours.
 */
export async function listDisputes(stripe: Stripe, { from, to }: Span): Promise<ListedDispute[]> {
  const created = { gte: toSeconds(from), ...(to ? { lte: toSeconds(to) } : {}) };
  const found: ListedDispute[] = [];
  for await (const dispute of stripe.disputes.list({ created, limit: 100 })) {
    expectObject(dispute, 'dispute');
    const { id: processorId, payment_intent: intent } = dispute;
    const paymentIntentId = typeof intent === 'string' ? intent : intent?.id;
    if (paymentIntentId) found.push({ processorId, paymentIntentId });
  }
  return found;
}

function toSeconds(at: Date): number {
  return Math.floor(at.getTime() / 1_000);
}

function decideReading(dispute: Stripe.Dispute): DisputeReading {
  const status = STATUSES[dispute.status];
  if (dispute.object !== 'dispute' || !status) {
    throw new UnknownProcessorState(`dispute ${dispute.id}: ${dispute.status}`);
  }
  const currency = dispute.currency.toUpperCase();
  return {
    processorId: dispute.id,
    status,
    amountMinor: fromProcessorAmount(dispute.amount, currency),
    currency,
    reason: dispute.reason,
    dueAt: dispute.evidence_details?.due_by
      ? new Date(dispute.evidence_details.due_by * 1_000)
      : null,
    fees: sumFees(dispute.balance_transactions),
  };
}

/** Sums in the currency in which the processor settles; a returned fee is negative. */
function sumFees(moves: readonly Stripe.BalanceTransaction[]): DisputeFee[] {
  const currencies = [...new Set(moves.map(({ currency }) => currency))];
  return currencies.map((each) => {
    const fees = moves.filter(({ currency }) => currency === each).map(({ fee }) => fee);
    const currency = each.toUpperCase();
    const sum = fees.reduce((total, fee) => total + fee, 0);
    return { feeMinor: fromProcessorAmount(sum, currency), currency };
  });
}
