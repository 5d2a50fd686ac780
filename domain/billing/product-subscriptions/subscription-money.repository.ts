import type { EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';
import { newPublicId } from '../../shared/ids.ts';
import { findDeletedParty } from '../../catalog/product-lifecycle.repository.ts';
import { alertOfRefusal } from '../notices/money-alerts.repository.ts';
import { requestRefund } from '../refunds/request-refund.repository.ts';
import { acceptRenewals } from '../recurring/accept-renewals.repository.ts';
import type { SubscriptionRow } from './subscription.entity.ts';
import { renewAccess } from './subscription-access.repository.ts';
import type { ChargeReading } from '../recurring/processor-snapshot.ts';

type SubscriptionCharges = {
  /** Locked, with the person's access. */
  subscription: SubscriptionRow;
  charges: ChargeReading[];
  feeBasisPoints: number;
};

/** Books every charge that arrived, each once. */
export async function bookSubscriptionCharges(em: EntityManager, charged: SubscriptionCharges) {
  const { subscription, charges, feeBasisPoints } = charged;
  const { id: subscriptionId, purchaseId } = subscription;
  return acceptRenewals(em, {
    renewed: subscription,
    payer: { purchaseId, subscriptionId },
    charges,
    feeBasisPoints,
    paid: await learnFirstPeriod(em, charged),
    findDeletedParty: () => findDeletedParty(em, subscription),
    renew: () => renewAccess(em, subscription),
    async sendBack({ amountMinor }, { paymentId }) {
      const refundId = newPublicId('re_');
      const intent = { refundId, purchaseId, paymentId, amountMinor, requestedBy: null };
      const requested = await requestRefund(em, { ...intent, reason: 'not_as_agreed' });
      await alertOfRefusal(em, purchaseId, requested);
    },
  });
}

/** The purchase booked the first charge; here its period is learned. */
async function learnFirstPeriod(em: EntityManager, { subscription, charges }: SubscriptionCharges) {
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
