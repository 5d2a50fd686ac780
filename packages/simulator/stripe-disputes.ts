import type { Stripe } from 'stripe';
import { toProcessorAmount } from '../../clients/processor/amounts.ts';
import { minorUnitDigits } from '../../domain/shared/money.ts';
import { seconds } from './unix-time.ts';

export type DisputeRow = {
  id: string;
  amount: string;
  currency: string;
  reason: string;
  status: string;
  intent_id: string;
  created_at: Date;
  read_at: Date;
};

/** Most banks wait this long for an answer. */
const ANSWER_S = 7 * 24 * 60 * 60;

export function presentDispute(row: DisputeRow) {
  return {
    id: row.id,
    object: 'dispute' as const,
    amount: Number(row.amount),
    balance_transactions: presentMoves(row),
    charge: row.intent_id.replace(/^pi_/, 'ch_'),
    created: seconds(row.created_at),
    currency: row.currency,
    evidence_details: {
      due_by: seconds(row.created_at) + ANSWER_S,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: row.read_at.getTime() > row.created_at.getTime() + ANSWER_S * 1_000,
      submission_count: 0,
      submission_method: 'not_submitted',
    },
    is_charge_refundable: row.status.startsWith('warning_'),
    livemode: false,
    metadata: {},
    payment_intent: row.intent_id,
    reason: row.reason,
    status: row.status,
  } satisfies Partial<Stripe.Dispute>;
}

// As Stripe's in most currencies: taken when a dispute is opened, kept whoever wins.
const DISPUTE_FEE = 15;

/** Nothing moves for a warning; a dispute takes its amount and a fee, one that is won gives the amount back. */
function presentMoves(row: DisputeRow): Stripe.BalanceTransaction[] {
  if (row.status.startsWith('warning_')) return [];
  const amount = Number(row.amount);
  const currency = row.currency.toUpperCase();
  const fee = toProcessorAmount(DISPUTE_FEE * 10 ** minorUnitDigits(currency), currency);
  const taken = { id: `txn_${row.id}`, amount: -amount, fee, net: -amount - fee };
  const returned = { id: `txn_${row.id}_back`, amount, fee: 0, net: amount };
  const moves = row.status === 'won' ? [taken, returned] : [taken];
  return moves.map((move) => {
    const told = { ...move, object: 'balance_transaction' as const, currency: row.currency };
    return told as Stripe.BalanceTransaction;
  });
}
