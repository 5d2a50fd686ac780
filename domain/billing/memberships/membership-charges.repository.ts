import { recordMembershipChange } from '../../entitlements/memberships/membership.repository.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { newPublicId } from '../../shared/ids.ts';
import { findDeletedParty } from '../../catalog/listing/deleted-party.repository.ts';
import { alertOfNoOrder } from '../checkout/undeliverable-payment.repository.ts';
import { issueChargeReceipt } from '../subscriptions/charge-receipt.repository.ts';
import {
  bookCharge,
  isReceived,
  recordFailure,
  settleRenewals,
} from '../subscriptions/charges.repository.ts';
import { isSameMoney } from '../purchases/compare-paid.ts';
import { alertOfDifference } from '../purchases/payment.repository.ts';
import type { Period, Settled } from '../subscriptions/recurring-billing.ts';
import type { ChargeReading } from '../subscriptions/subscription-reading.ts';
import type { PaidMembership } from './membership-lock.repository.ts';
import { isRunning } from './open-membership.repository.ts';

/** The platform gets the whole payment. */
const FEE_BASIS_POINTS = 0;

export type MembershipSettled = Settled & {
  /** The state after the charges so far; the first payment begins it. */
  membership: PaidMembership;
  hasRefunds: boolean;
};

/** Books every new charge once: it begins the membership, renews it, or is refunded. */
export async function settleMembershipCharges(
  em: EntityManager,
  membership: PaidMembership,
  charges: ChargeReading[],
): Promise<MembershipSettled> {
  const { id: membershipId, periodStart, periodEnd } = membership;
  const known = periodStart && periodEnd ? { periodStart, periodEnd } : null;
  const first = await begin(em, membership, charges);
  let hasRefunds = first.isBroken;
  const sendBack = async ({ amountMinor }: ChargeReading, { paymentId }: { paymentId: string }) => {
    await recordReturn(em, { paymentId, amountMinor });
    hasRefunds = true;
  };
  const settled = await settleRenewals(em, {
    renewed: first.membership,
    payer: { membershipId },
    charges,
    feeBasisPoints: FEE_BASIS_POINTS,
    paid: first.paid ?? known,
    findDeletedParty: () => findDeletedParty(em, { ...membership, productId: null }),
    renew: () => recordMembershipChange(em, { membershipId, reason: 'renewed' }),
    sendBack,
  });
  const isBroken = settled.isBroken || first.isBroken;
  return { ...settled, isBroken, hasRefunds, membership: first.membership };
}

type Begun = { membership: PaidMembership; paid: Period | null; isBroken: boolean };

/** The first payment, when it arrived with this reading. */
async function begin(
  em: EntityManager,
  membership: PaidMembership,
  charges: ChargeReading[],
): Promise<Begun> {
  const unchanged = { membership, paid: null, isBroken: false };
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
  const noOrder = await findDeletedParty(em, { ...membership, productId: null });
  if (noOrder) await alertOfNoOrder(em, { subject: membership.id, reason: noOrder });
  if (isAgreed && noOrder === null && (await canBegin(em, membership))) {
    await issueChargeReceipt(em, payment.paymentId);
    const { periodStart, periodEnd } = first;
    const status = 'active' as const;
    return {
      membership: { ...membership, status },
      paid: { periodStart, periodEnd },
      isBroken: false,
    };
  }
  await recordReturn(em, { ...payment, amountMinor: first.amountMinor });
  return { ...unchanged, isBroken: true };
}

/** Late money begins nothing that has ended, and nothing beside a running membership. */
async function canBegin(em: EntityManager, { status, personId }: PaidMembership) {
  return status === 'incomplete' && !(await isRunning(em, personId));
}

/** Under the membership's lock, of money that has just come: nothing else was asked of it. */
async function recordReturn(
  em: EntityManager,
  { paymentId, amountMinor }: { paymentId: string; amountMinor: number },
): Promise<void> {
  await rows(
    em,
    `insert into refund (id, payment_id, amount_minor, currency, reason)
     select ?, id, ?, currency, 'not_as_agreed' from payment where id = ?`,
    [newPublicId('re_'), amountMinor, paymentId],
  );
}
