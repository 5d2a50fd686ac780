import type { EntityManager } from '../../platform/database/database.ts';
import { ago } from '../../platform/database/expressions.ts';
import { kysely } from '../kysely.ts';
import { FAILING_STATUSES } from '../webhooks/deliveries/delivery.entity.ts';
import { RECOVERY_DAYS } from '../webhooks/recoveries/recovery.ts';

/** What waits for somebody in the pages of a product. */
export type Waiting = { disputes: number; deliveries: number };

/** The count of deliveries stops here. */
export const MOST_WAITING = 100;

/** Counts open disputes, and deliveries in trouble within the days of a recovery. */
export async function countTroubles(em: EntityManager, productId: string): Promise<Waiting> {
  const db = kysely(em);
  const deliveries = db
    .selectFrom('deliveryState')
    .select('deliveryId')
    .where('productId', '=', productId)
    .where('status', 'in', [...FAILING_STATUSES])
    .where('createdAt', '>=', ago(`${RECOVERY_DAYS} days`))
    .limit(MOST_WAITING);
  return db
    .selectFrom(deliveries.as('some'))
    .select(({ fn, selectFrom }) => [
      fn.countAll<number>().as('deliveries'),
      selectFrom('dispute')
        .innerJoin('payment', 'payment.id', 'dispute.paymentId')
        .innerJoin('purchase', 'purchase.id', 'payment.purchaseId')
        .select(fn.countAll<number>().as('n'))
        .where('dispute.status', 'in', ['warning', 'open'])
        .where('purchase.productId', '=', productId)
        .$asScalar()
        .$notNull()
        .as('disputes'),
    ])
    .executeTakeFirstOrThrow();
}
