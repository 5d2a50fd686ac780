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

/** Of each product and status. */
const MOST_COUNTED = 1_000;

/** Of these products, or of all for null; counted up to a bound, within the days of a recovery. */
export async function countFailingDeliveries(
  em: EntityManager,
  productIds: readonly string[] | null,
): Promise<FailingDeliveries[]> {
  const found = await kysely(em)
    .selectFrom('product')
    .select('product.id as productId')
    .select(({ selectFrom, fn }) =>
      FAILING.map((status) =>
        selectFrom(
          selectFrom('deliveryState')
            .select('deliveryId')
            .whereRef('deliveryState.productId', '=', 'product.id')
            .where('deliveryState.status', '=', status)
            .where('deliveryState.createdAt', '>=', ago(`${RECOVERY_DAYS} days`))
            .limit(MOST_COUNTED)
            .as('some'),
        )
          .select(fn.countAll<number>().as('n'))
          .$asScalar()
          .$notNull()
          .as(status),
      ),
    )
    .$if(productIds !== null, (of) => of.where('product.id', '=', anyOf(productIds!)))
    .execute();
  return found.flatMap(({ productId, ...counts }) =>
    FAILING.map((status) => ({ productId, status, count: counts[status] })).filter(
      ({ count }) => count > 0,
    ),
  );
}
