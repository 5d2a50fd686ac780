import type { PriceView } from '../../catalog/catalog.store.ts';
import type { EntityManager } from '../../platform/database.ts';
import { newPublicId } from '../../platform/ids.ts';
import { BILLING_INTERVALS } from './billing-interval.ts';
import { Subscription } from './subscription.entity.ts';

/** With its purchase, on the terms of this moment; for what is paid once there is none. */
export async function openSubscription(
  em: EntityManager,
  bought: { purchaseId: string; personId: string; productId: string; price: PriceView },
): Promise<void> {
  const { price, ...of } = bought;
  const billingInterval = BILLING_INTERVALS[price.kind];
  if (billingInterval === null) return;
  const { priceId, amountMinor, currency } = price;
  const agreed = { priceId, amountMinor, currency, billingInterval };
  await em.insert(Subscription, {
    id: newPublicId('sub_'),
    ...of,
    ...agreed,
  });
}
