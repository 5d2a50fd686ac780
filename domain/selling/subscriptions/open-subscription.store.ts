import type { OfferKind, PriceView } from '../../catalog/catalog.store.ts';
import type { EntityManager } from '../../platform/database.ts';
import { newPublicId } from '../../platform/ids.ts';
import { Subscription } from './subscription.entity.ts';

/** How often an offer is paid for; null where it is once, for good. */
export const BILLING_INTERVALS = {
  one_time: null,
  monthly: 'month',
  yearly: 'year',
} as const satisfies Record<OfferKind, 'month' | 'year' | null>;

/** With its purchase, on the terms of this moment; for what is paid once there is none. */
export async function openSubscription(
  em: EntityManager,
  bought: { purchaseId: string; personId: string; productId: string; price: PriceView },
): Promise<void> {
  const { purchaseId, personId, productId, price } = bought;
  const billingInterval = BILLING_INTERVALS[price.kind];
  if (billingInterval === null) return;
  const { priceId, amountMinor, currency } = price;
  const agreed = { priceId, amountMinor, currency, billingInterval };
  await em.insert(Subscription, {
    id: newPublicId('sub_'),
    ...{ purchaseId, personId, productId },
    ...agreed,
  });
}
