import { expressionBuilder, sql, type Expression } from 'kysely';
import {
  lockAccess,
  storeAccess,
  type AccessKey,
} from '../../entitlements/entitlement.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { kysely, type Tables } from '../../kysely.ts';
import { newPublicId } from '../../shared/ids.ts';
import { findDeletedParty } from '../../catalog/product-lifecycle.repository.ts';
import { alertOfRefusal } from '../purchases/money-alerts.repository.ts';
import { requestRefund } from '../refunds/request-refund.repository.ts';
import { bookRenewals } from '../recurring/charges.repository.ts';
import type { SubscriptionRow } from './subscription.entity.ts';
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
  const access = await lockAccess(em, subscription);
  await moveAccessEnd(em, subscription, null);
  await storeAccess(em, access, { reason: 'renewed', purchaseId });
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

/** The key of a subscription's access. */
export function accessOf({ productId, personId }: SubscriptionRow): AccessKey {
  return { productId, personId };
}

type Source = Pick<SubscriptionRow, 'productId' | 'personId' | 'purchaseId'>;

/**
 * Call it between lockAccess and storeAccess: sets the end of a running subscription's access; null while it
 * renews.
 */
export async function moveAccessEnd(em: EntityManager, source: Source, endsAt: Date | null) {
  await setEnd(em, source, endsAt && afterStart(endsAt));
}

/** Sets the end for a subscription that is over: an earlier end stays. */
export async function endAccess(em: EntityManager, source: Source, endsAt: Date): Promise<void> {
  await setEnd(em, source, fn<Date>('least', [ref('endsAt'), afterStart(endsAt)]));
}

const { fn, ref, val } = expressionBuilder<Tables, 'accessGrant'>();

/** The processor's period may have ended before its money arrived. */
const afterStart = (endsAt: Date) =>
  fn<Date>('greatest', [val(endsAt), sql`${ref('startsAt')} + interval '1 millisecond'`]);

async function setEnd(
  em: EntityManager,
  { productId, personId, purchaseId }: Source,
  endsAt: Expression<Date> | null,
): Promise<void> {
  await kysely(em)
    .updateTable('accessGrant')
    .set({ endsAt })
    .where('productId', '=', productId)
    .where('personId', '=', personId)
    .where('source', '=', purchaseId)
    .execute();
}
