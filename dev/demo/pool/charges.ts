// What Members of the demo paid in the past: rows as the processor's charges leave them.
import { bookClearing, bookReturn } from '../../../domain/billing/ledger/booking.ts';
import { LedgerEntry } from '../../../domain/billing/ledger/ledger.entity.ts';
import { Payment } from '../../../domain/billing/purchases/payment.entity.ts';
import { Refund } from '../../../domain/billing/refunds/refund.entity.ts';
import { ChargeReceipt } from '../../../domain/billing/recurring/charge-receipt.entity.ts';
import type { BillingInterval } from '../../../domain/billing/recurring/billing-interval.ts';
import { MemberPrice } from '../../../domain/entitlements/memberships/member-price.entity.ts';
import { Membership } from '../../../domain/entitlements/memberships/membership.entity.ts';
import { newPublicId, newUuid } from '../../../domain/shared/ids.ts';
import { DAY_MS } from '../../../domain/shared/instant.ts';
import type { EntityManager } from '../../../platform/database/database.ts';

/** A membership that ended with what its last charge paid for, or today before that. */
export type PaidMember = {
  personId: string;
  billingInterval: BillingInterval;
  /** The instants at which the charges succeeded, the first one first. */
  paidAt: readonly Date[];
  /** The first charge went back a day later. */
  isRefunded: boolean;
};

type Terms = { priceId: string; amountMinor: number; currency: string };

/** Nothing of these memberships renews, so that no workflow asks the processor about them. */
export async function insertCharges(
  em: EntityManager,
  { currency, members, at }: { currency: string; members: readonly PaidMember[]; at: Date },
): Promise<void> {
  const prices = await em.find(MemberPrice, { currency });
  const made = members.map((member) => {
    const { billingInterval } = member;
    const price = prices.find((one) => one.billingInterval === billingInterval)!;
    const terms = { priceId: price.id, amountMinor: price.amountMinor, currency };
    return membershipOf(member, { terms, at });
  });
  const charges = made.flatMap((each) => each.charges);
  await em.insertMany(
    Membership,
    made.map(({ membership }) => membership),
  );
  await em.insertMany(
    Payment,
    charges.map(({ payment }) => payment),
  );
  await em.insertMany(
    ChargeReceipt,
    charges.map(({ receipt }) => receipt),
  );
  const refunds = charges.flatMap(({ refund }) => refund ?? []);
  if (refunds.length > 0) await em.insertMany(Refund, refunds);
  await em.insertMany(
    LedgerEntry,
    charges.flatMap(({ entries }) => entries),
  );
}

function membershipOf(member: PaidMember, { terms, at }: { terms: Terms; at: Date }) {
  const { personId, billingInterval, paidAt, isRefunded } = member;
  const id = newUuid();
  const charges = paidAt.map((instant, index) => {
    const period = { periodStart: instant, periodEnd: endOf(instant, billingInterval) };
    return chargeOf({ membershipId: id, terms, period, isRefunded: isRefunded && index === 0 });
  });
  const { periodStart, periodEnd } = charges.at(-1)!.payment;
  const endedAt = periodEnd < at ? periodEnd : at;
  const over = { status: 'ended', endsAt: endedAt, endedAt, periodStart, periodEnd } as const;
  const membership = { id, personId, billingInterval, ...terms, ...over, createdAt: paidAt[0]! };
  return { membership, charges };
}

type Charge = {
  membershipId: string;
  terms: Terms;
  period: { periodStart: Date; periodEnd: Date };
  isRefunded: boolean;
};

function chargeOf({ membershipId, terms, period, isRefunded }: Charge) {
  const { amountMinor: grossMinor, currency } = terms;
  const createdAt = period.periodStart;
  const paymentId = newPublicId('ch_');
  const money = { membershipId, grossMinor, cutMinor: 0, currency };
  const status = isRefunded ? ('refunded' as const) : ('succeeded' as const);
  const returnedMinor = isRefunded ? grossMinor : 0;
  const known = { processorId: `demo_${paymentId}`, createdAt };
  const about = { paymentId, refundId: null, currency };
  const cleared = { ...about, booking: `${paymentId}:cleared`, createdAt };
  const back = isRefunded ? refundOf({ paymentId, money, paidAt: createdAt }) : null;
  const names = { productName: 'Member', sellerName: 'Gatehouse' };
  return {
    payment: { id: paymentId, ...money, ...period, status, returnedMinor, ...known },
    receipt: { paymentId, ...names, grossMinor, currency, issuedAt: createdAt },
    refund: back?.refund ?? null,
    entries: [
      ...bookClearing(money).map((entry) => ({ ...cleared, ...entry })),
      ...(back?.entries ?? []),
    ],
  };
}

type Money = { membershipId: string; grossMinor: number; cutMinor: number; currency: string };

function refundOf({ paymentId, money, paidAt }: { paymentId: string; money: Money; paidAt: Date }) {
  const { grossMinor, currency } = money;
  const createdAt = new Date(paidAt.getTime() + DAY_MS);
  const id = newPublicId('re_');
  const returned = { returnedMinor: 0, lostMinor: 0, cutReturnedMinor: 0 };
  const { entries } = bookReturn(money, { returned, kind: 'refund', changeMinor: grossMinor });
  const booking = { booking: `${id}:succeeded`, paymentId, refundId: id, currency, createdAt };
  const refund = { id, paymentId, amountMinor: grossMinor, currency, status: 'succeeded' as const };
  return {
    refund: { ...refund, processorId: `demo_${id}`, createdAt, settledAt: createdAt },
    entries: entries.map((entry) => ({ ...booking, ...entry })),
  };
}

function endOf(from: Date, interval: BillingInterval): Date {
  const end = new Date(from);
  end.setUTCMonth(end.getUTCMonth() + (interval === 'year' ? 12 : 1));
  return end;
}
