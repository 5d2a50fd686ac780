import { sql } from 'kysely';
import type { EntityManager } from '../../../platform/database/database.ts';
import { ago, anyOf } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { RECOVERY_DAYS } from '../recoveries/recovery.ts';
import { FAILING_STATUSES, type FailingStatus } from './delivery.entity.ts';

/** The most deliveries of each product or endpoint and status that are counted. */
export const MOST_COUNTED = 1_000;
/** The most endpoints of each status, over all products. */
const MOST_ENDPOINTS = 500;

/** Counts up to a bound, of those of these products that have some; of all products when null. */
export async function countFailingDeliveries(
  em: EntityManager,
  productIds: readonly string[] | null,
) {
  const found = await kysely(em)
    .selectFrom('product')
    .select('product.id as productId')
    .select(countFailing(em, 'productId', 'product.id'))
    .where('product.id', '=', anyOf(productIds ?? (await findFailingProducts(em))))
    .execute();
  return found.filter((counts) => FAILING_STATUSES.some((status) => counts[status] > 0));
}

/** The columns that count what fails within the days of a recovery, by its status. */
export function countFailing(
  em: EntityManager,
  column: 'productId' | 'endpointId',
  of: 'product.id' | 'webhookEndpoint.id',
) {
  return FAILING_STATUSES.map((status) =>
    kysely(em)
      .selectFrom(
        kysely(em)
          .selectFrom('deliveryState')
          .select('deliveryId')
          .where(`deliveryState.${column}`, '=', sql.ref<string>(of))
          .where('deliveryState.status', '=', status)
          .where('deliveryState.createdAt', '>=', ago(`${RECOVERY_DAYS} days`))
          .limit(MOST_COUNTED)
          .as('some'),
      )
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .$asScalar()
      .$notNull()
      .as(status),
  );
}

/** Looks only at endpoints with such deliveries: other products cost nothing. */
async function findFailingProducts(em: EntityManager): Promise<string[]> {
  const productIds = new Set<string>();
  for (const status of FAILING_STATUSES) {
    for (const { productId } of await listFailingEndpoints(em, status)) productIds.add(productId);
  }
  return [...productIds];
}

/** A walk along the index from one endpoint to the next, the newest first. */
function listFailingEndpoints(em: EntityManager, status: FailingStatus) {
  const first = kysely(em)
    .selectFrom('deliveryState')
    .select(['endpointId', 'productId', sql.lit(1).as('place')])
    .where('status', '=', status)
    .orderBy('endpointId', 'desc')
    .limit(1);
  return kysely(em)
    .withRecursive('walk', (walk) =>
      walk
        .selectFrom(first.as('first'))
        .selectAll()
        .unionAll(
          walk
            .selectFrom('walk')
            .innerJoinLateral(
              ({ selectFrom }) =>
                selectFrom('deliveryState as d')
                  .select(['d.endpointId', 'd.productId'])
                  .where('d.status', '=', status)
                  .whereRef('d.endpointId', '<', 'walk.endpointId')
                  .orderBy('d.endpointId', 'desc')
                  .limit(1)
                  .as('next'),
              (join) => join.onTrue(),
            )
            .select(['next.endpointId', 'next.productId'])
            .select(({ eb }) => eb('walk.place', '+', 1).as('place'))
            .where('walk.place', '<', MOST_ENDPOINTS),
        ),
    )
    .selectFrom('walk')
    .select('productId')
    .execute();
}
