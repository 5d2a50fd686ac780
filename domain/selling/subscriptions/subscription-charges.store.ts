import { changeAccess } from '../../entitlements/entitlement.store.ts';
import { rows, type EntityManager } from '../../platform/database.ts';
import { newPublicId } from '../../platform/ids.ts';
import { isAsAgreed } from '../purchases/agreed.ts';
import { alertOfDifference, recordPayment } from '../purchases/payment.store.ts';
import { requestRefund } from '../refunds/refund-intent.store.ts';
import { accessOf, moveAccessEnd } from './subscription-access.store.ts';
import type { SubscriptionRow } from './subscription.entity.ts';
import type { ChargeReading } from './subscription-reading.ts';

type Period = { periodStart: Date; periodEnd: Date };

type Charged = {
  /** Under its lock, and that of the person's access. */
  subscription: SubscriptionRow;
  charges: ChargeReading[];
  feeBasisPoints: number;
};

export type Settled = {
  /** The last period that was paid for. */
  paid: Period | null;
  /** Money of another amount or currency came: it goes back, and nothing more is charged. */
  isBroken: boolean;
};

/** Books every charge that has come, each once: it renews, or it goes back by itself. */
export async function settleCharges(em: EntityManager, charged: Charged): Promise<Settled> {
  const { subscription, charges } = charged;
  const settled: Settled = { paid: await learnFirstPeriod(em, charged), isBroken: false };
  for (const charge of charges) {
    const { status, isFirst } = charge;
    if (isFirst || (status !== 'paid' && status !== 'clearing')) continue;
    const payment = await recordPayment(em, describe(charged, { ...charge, status }));
    if (!payment) continue;
    if (subscription.status === 'ended' || settled.isBroken) {
      await sendBack(em, { subscription, charge, ...payment });
    } else if (isAsAgreed(charge, subscription)) {
      await renew(em, subscription);
      settled.paid = { periodStart: charge.periodStart, periodEnd: charge.periodEnd };
    } else {
      settled.isBroken = true;
      await alertOfDifference(em, { subject: subscription.id, agreed: subscription, paid: charge });
      await sendBack(em, { subscription, charge, ...payment });
    }
  }
  return settled;
}

function describe(
  { subscription, feeBasisPoints }: Charged,
  charge: ChargeReading & { status: 'paid' | 'clearing' },
) {
  const { paymentIntentId, status, amountMinor, currency } = charge;
  return {
    purchaseId: subscription.purchaseId,
    subscriptionId: subscription.id,
    reading: { status, amountMinor, currency, paymentIntentId },
    feeBasisPoints,
    period: { periodStart: charge.periodStart, periodEnd: charge.periodEnd },
  };
}

async function renew(em: EntityManager, subscription: SubscriptionRow): Promise<void> {
  const { purchaseId } = subscription;
  const write = async () => {
    await moveAccessEnd(em, subscription, null);
    return { purchaseId };
  };
  await changeAccess(em, accessOf(subscription), { cause: 'renewed', write });
}

type Unwanted = { subscription: SubscriptionRow; charge: ChargeReading; paymentId: string };

/** What was charged after the end, or not as agreed, was never an order. */
async function sendBack(em: EntityManager, { subscription, charge, paymentId }: Unwanted) {
  await requestRefund(em, {
    refundId: newPublicId('re_'),
    purchaseId: subscription.purchaseId,
    paymentId,
    amountMinor: charge.amountMinor,
    requestedBy: null,
    reason: 'not_as_agreed',
  });
}

/** The first charge was booked with its purchase; here it is learned what it has paid for. */
async function learnFirstPeriod(
  em: EntityManager,
  { subscription, charges }: Charged,
): Promise<Period | null> {
  const { periodStart, periodEnd } = subscription;
  if (periodStart && periodEnd) return { periodStart, periodEnd };
  const first = charges.find(({ isFirst, status }) => isFirst && status === 'paid');
  if (!first) return null;
  await rows(
    em,
    `update payment set period_start = ?, period_end = ?
     where processor_id = ? and subscription_id = ? and period_start is null`,
    [first.periodStart, first.periodEnd, first.paymentIntentId, subscription.id],
  );
  return { periodStart: first.periodStart, periodEnd: first.periodEnd };
}
