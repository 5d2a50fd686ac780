import type { EntityManager } from '../../../platform/database/database.ts';
import { ago, anyOf } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { RECOVERY_DAYS } from '../recoveries/recovery.ts';

const FAILING = ['retrying', 'dead', 'held'] as const;

/** How many deliveries of a product are in trouble, by their status. */
export type FailingDeliveries = {
  productId: string;
  status: (typeof FAILING)[number];
  count: number;
};

const MOST_COUNTED = 10_000;

/** Of these products, or of all for null; counted up to a bound, within the days of a recovery. */
export async function countFailingDeliveries(
  em: EntityManager,
  productIds: readonly string[] | null,
): Promise<FailingDeliveries[]> {
  const failing = kysely(em)
    .selectFrom('deliveryState')
    .select(['productId', 'status'])
    .$if(productIds !== null, (rows) => rows.where('productId', '=', anyOf(productIds!)))
    .where('status', 'in', FAILING)
    .where('createdAt', '>=', ago(`${RECOVERY_DAYS} days`))
    .limit(MOST_COUNTED);
  return kysely(em)
    .selectFrom(failing.as('failing'))
    .select(['productId'])
    .select(({ fn, ref }) => [
      ref('status').$castTo<FailingDeliveries['status']>().as('status'),
      fn.countAll<number>().as('count'),
    ])
    .groupBy(['productId', 'status'])
    .execute();
}
