import { findDeletedParty } from '../../catalog/product-lifecycle.repository.ts';
import { recordMembershipChange } from '../../entitlements/memberships/membership.repository.ts';
import { LOCK, type EntityManager } from '../../../platform/database/database.ts';
import { newPublicId } from '../../shared/ids.ts';
import { alertOfDifference, alertOfDeletedParty } from '../notices/money-alerts.repository.ts';
import type { NewPayment } from '../purchases/payment.repository.ts';
import { moveDispute, type DisputeReading } from '../disputes/dispute.repository.ts';
import { isSameMoney } from '../purchases/payment-status.ts';
import { Payment } from '../purchases/payment.entity.ts';
import { applyFact, type RefundFact } from '../refunds/apply-refunds.repository.ts';
import { Refund } from '../refunds/refund.entity.ts';
import { sumUpReturned } from '../returned-money/returned-money.repository.ts';
import { issueChargeReceipt } from '../recurring/charge-receipt.repository.ts';
import {
  bookCharge,
  isReceived,
  recordFailure,
  acceptRenewals,
} from '../recurring/accept-renewals.repository.ts';
import type { BookedCharges } from '../recurring/next-state.ts';
import { decidePeriodOf, type ChargeReading } from '../recurring/processor-snapshot.ts';
import type { CurrentMoney } from './membership-move.ts';
import { isRunning, type PaidMembership } from './membership-billing.repository.ts';

/** The platform gets the whole payment. */
const FEE_BASIS_POINTS = 0;

export type MembershipCharges = BookedCharges & {
  /** The state after the charges so far; the first payment begins it. */
  membership: PaidMembership;
  hasRefunds: boolean;
};

/** Books every new charge once: it begins the membership, renews it, or is refunded. */
export async function bookMembershipCharges(
  em: EntityManager,
  membership: PaidMembership,
  charges: ChargeReading[],
): Promise<MembershipCharges> {
  const { id: membershipId, periodStart, periodEnd } = membership;
  const known = periodStart && periodEnd ? { periodStart, periodEnd } : null;
  const first = await begin(em, membership, charges);
  let hasRefunds = first.isNotAsAgreed;
  const sendBack = async (charge: ChargeReading, payment: NewPayment) => {
    await recordRefund(em, charge, payment);
    hasRefunds = true;
  };
  const booked = await acceptRenewals(em, {
    renewed: first.membership,
    payer: { membershipId },
    charges,
    feeBasisPoints: FEE_BASIS_POINTS,
    paid: first.paid ?? known,
    findDeletedParty: () => findDeletedParty(em, { ...membership, productId: null }),
    renew: () => recordMembershipChange(em, { membershipId, reason: 'renewed' }),
    sendBack,
  });
  const isNotAsAgreed = booked.isNotAsAgreed || first.isNotAsAgreed;
  return { ...booked, isNotAsAgreed, hasRefunds, membership: first.membership };
}

/** The first payment, when it arrived with this reading. */
async function begin(em: EntityManager, membership: PaidMembership, charges: ChargeReading[]) {
  const unchanged = { membership, paid: null, isNotAsAgreed: false };
  const first = charges.find(({ isFirst }) => isFirst);
  if (!first) return unchanged;
  if (!isReceived(first)) {
    await recordFailure(em, first);
    return unchanged;
  }
  const payer = { membershipId: membership.id };
  const payment = await bookCharge(em, { payer, feeBasisPoints: FEE_BASIS_POINTS }, first);
  if (!payment) return unchanged;
  const isAgreed = isSameMoney(first, membership);
  await alertOfDifference(em, { subject: membership.id, agreed: membership, paid: first });
  const deletedParty = await findDeletedParty(em, { ...membership, productId: null });
  if (deletedParty) await alertOfDeletedParty(em, { subject: membership.id, reason: deletedParty });
  if (isAgreed && deletedParty === null && (await canBegin(em, membership))) {
    await issueChargeReceipt(em, payment.paymentId);
    const { periodStart, periodEnd } = first;
    const status = 'active' as const;
    return {
      membership: { ...membership, status },
      paid: { periodStart, periodEnd },
      isNotAsAgreed: false,
    };
  }
  await recordRefund(em, first, payment);
  return { ...unchanged, isNotAsAgreed: true };
}

/** Late money begins nothing that has ended, and nothing beside a running membership. */
async function canBegin(em: EntityManager, { status, personId }: PaidMembership) {
  return status === 'incomplete' && !(await isRunning(em, personId));
}

/**
 * Records a refund of money that has just come, under the membership's lock: nothing else has
 * refunded it.
 */
async function recordRefund(
  em: EntityManager,
  { amountMinor, currency }: ChargeReading,
  { paymentId }: NewPayment,
): Promise<void> {
  const id = newPublicId('re_');
  await em.insert(Refund, { id, paymentId, amountMinor, currency, reason: 'not_as_agreed' });
}

/** The processor's refunds and disputes of a membership's payments. */
export type Returns = {
  refunds: RefundFact[];
  disputes: { paymentId: string; reading: DisputeReading }[];
};

type ReportedReturns = { membershipId: string; sequence: number; returns: Returns; at: Date };

/** Books refunds and disputes, and returns the state of the current period's money. */
export async function applyReturns(
  em: EntityManager,
  membership: { periodStart: Date | null },
  { membershipId, sequence, returns, at }: ReportedReturns,
): Promise<CurrentMoney> {
  const { refunds, disputes } = returns;
  if (refunds.length === 0 && disputes.length === 0) return null;
  const payments = await em.find(Payment, { membershipId }, { ...LOCK, orderBy: { id: 'asc' } });
  for (const fact of refunds) {
    const payment = payments.find(({ id }) => id === fact.paymentId)!;
    await applyFact(em, { fact, payment: { ...payment, paymentId: payment.id }, at });
  }
  for (const { paymentId, reading } of disputes) {
    const payment = payments.find(({ id }) => id === paymentId)!;
    await moveDispute(em, { subject: membershipId, payment, sequence, dispute: reading });
  }
  const charges = await sumUpReturned(em, { membershipId });
  const current = charges.filter((charge) => decidePeriodOf(charge, membership) === 'current');
  if (current.length === 0) return null;
  return current.some(({ returnedMinor, grossMinor }) => returnedMinor >= grossMinor)
    ? 'gone'
    : 'kept';
}
