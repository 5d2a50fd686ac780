import { changeAccess } from '../../entitlements/entitlement.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';
import { newPublicId } from '../../shared/ids.ts';
import { findDeletedParty } from '../../catalog/listing/listing.repository.ts';
import { alertOfRefusal, requestRefund } from '../refunds/request-refund.repository.ts';
import { bookRenewals } from '../subscriptions/charges.repository.ts';
import type { Period, Booked } from '../subscriptions/recurring-billing.ts';
import { accessOf, moveAccessEnd } from './subscription-access.repository.ts';
import type { SubscriptionRow } from './subscription.entity.ts';
import type { ChargeReading } from '../subscriptions/subscription-reading.ts';

type Charged = {
  /** Locked, with the person's access. */
  subscription: SubscriptionRow;
  charges: ChargeReading[];
  feeBasisPoints: number;
};

/** Books every charge that arrived, each once. */
export async function bookSubscriptionCharges(
  em: EntityManager,
  charged: Charged,
): Promise<Booked> {
  const { subscription, charges, feeBasisPoints } = charged;
  const { id: subscriptionId, purchaseId } = subscription;
  return bookRenewals(em, {
    renewed: subscription,
    payer: { purchaseId, subscriptionId },
    charges,
    feeBasisPoints,
    paid: await learnFirstPeriod(em, charged),
    findDeletedParty: () => findDeletedParty(em, subscription),
    renew: () => renew(em, subscription),
    async sendBack({ amountMinor }, { paymentId }) {
      const refundId = newPublicId('re_');
      const intent = { refundId, purchaseId, paymentId, amountMinor, requestedBy: null };
      const requested = await requestRefund(em, { ...intent, reason: 'not_as_agreed' });
      await alertOfRefusal(em, purchaseId, requested);
    },
  });
}

async function renew(em: EntityManager, subscription: SubscriptionRow): Promise<void> {
  const { purchaseId } = subscription;
  const write = async () => {
    await moveAccessEnd(em, subscription, null);
    return { purchaseId };
  };
  await changeAccess(em, accessOf(subscription), { reason: 'renewed', write });
}

/** The purchase booked the first charge; here its period is learned. */
async function learnFirstPeriod(
  em: EntityManager,
  { subscription, charges }: Charged,
): Promise<Period | null> {
  const { periodStart, periodEnd } = subscription;
  if (periodStart && periodEnd) return { periodStart, periodEnd };
  const first = charges.find(({ isFirst, status }) => isFirst && status === 'paid');
  if (!first) return null;
  const period = { periodStart: first.periodStart, periodEnd: first.periodEnd };
  await kysely(em)
    .updateTable('payment')
    .set(period)
    .where('processorId', '=', first.paymentIntentId)
    .where('subscriptionId', '=', subscription.id)
    .where('periodStart', 'is', null)
    .execute();
  return period;
}
