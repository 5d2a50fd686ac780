import type { EntityManager } from '../../../platform/database/database.ts';
import { anyOf } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';

/** How many subscriptions wait for a charge that failed; of these products, or of all for null. */
export async function countFailedRenewals(
  em: EntityManager,
  productIds: readonly string[] | null,
): Promise<{ productId: string; count: number }[]> {
  return kysely(em)
    .selectFrom('subscription')
    .select(({ fn }) => ['productId', fn.countAll<number>().as('count')])
    .$if(productIds !== null, (rows) => rows.where('productId', '=', anyOf(productIds!)))
    .where('status', '=', 'past_due')
    .groupBy('productId')
    .execute();
}
