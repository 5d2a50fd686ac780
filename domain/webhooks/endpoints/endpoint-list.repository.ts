import type { EntityManager } from '../../../platform/database/database.ts';
import { ago } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { RECOVERY_DAYS } from '../recoveries/recovery.ts';
import { deliveries } from '../deliveries/delivery.repository.ts';
import { previousUntil, secretVersion } from './secret-rotation.repository.ts';

/** The endpoints of a product, at most ten, in the order of their slots. */
const endpointsOf = (em: EntityManager, productId: string) =>
  kysely(em)
    .selectFrom('webhookEndpoint')
    .where('productId', '=', productId)
    .where('deletedAt', 'is', null)
    .orderBy('slot');

/** The current endpoints of a product, for a choice. */
export async function listEndpointOptions(em: EntityManager, productId: string) {
  return endpointsOf(em, productId)
    .select(['id as endpointId', 'url', 'createdAt'])
    .select(({ eb }) => eb('disabledAt', 'is not', null).$castTo<boolean>().as('isDisabled'))
    .execute();
}

export type EndpointOption = Awaited<ReturnType<typeof listEndpointOptions>>[number];

// Deliveries are read by the product's index: the newest of them show the health of its endpoints.
const MAX_DELIVERIES = 200;

const IN_TROUBLE = ['retrying', 'dead', 'held'] as const;

/** The most deliveries of a product and a status that are counted. */
export const MOST_COUNTED = 1_000;

/**
 * Lists endpoints with what is in trouble at each and with their newest delivery, whatever its
 * status. `previousUntil` is the end of the time in which the previous secret signs too;
 * `secretVersion` names the current one.
 */
export async function listProductEndpoints(em: EntityManager, productId: string) {
  const endpoints = await endpointsOf(em, productId)
    .select(['id as endpointId', 'url', 'events', 'createdAt', 'disabledAt', 'failingSince'])
    .select([previousUntil().as('previousUntil'), secretVersion.as('secretVersion')])
    .execute();
  const last = await findLastDeliveries(em, productId);
  const trouble = await countInTrouble(em, productId);
  return endpoints.map((endpoint) => ({
    ...endpoint,
    ...(trouble.get(endpoint.endpointId) ?? NO_TROUBLE),
    last: last.get(endpoint.endpointId) ?? null,
  }));
}

export type EndpointEntry = Awaited<ReturnType<typeof listProductEndpoints>>[number];

const NO_TROUBLE = { retrying: 0, dead: 0, held: 0 };

/** Counts by the product's index and up to a bound, as wherever else the product is shown. */
async function countInTrouble(em: EntityManager, productId: string) {
  const [retrying, dead, held] = IN_TROUBLE.map((status) =>
    kysely(em)
      .selectFrom(
        kysely(em)
          .selectFrom('deliveryState')
          .select(['endpointId', 'status'])
          .where('productId', '=', productId)
          .where('status', '=', status)
          .where('createdAt', '>=', ago(`${RECOVERY_DAYS} days`))
          .limit(MOST_COUNTED)
          .as('some'),
      )
      .selectAll(),
  );
  const found = await kysely(em)
    .selectFrom(retrying!.unionAll(dead!).unionAll(held!).as('some'))
    .select(({ fn }) => ['endpointId', 'status', fn.countAll<number>().as('count')])
    .groupBy(['endpointId', 'status'])
    .execute();
  const counts = new Map<string, typeof NO_TROUBLE>();
  for (const { endpointId, status, count } of found) {
    counts.set(endpointId, { ...NO_TROUBLE, ...counts.get(endpointId), [status]: count });
  }
  return counts;
}

async function findLastDeliveries(em: EntityManager, productId: string) {
  const newest = deliveries(em)
    .selectFrom('deliveryNow')
    .selectAll()
    .where('productId', '=', productId)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(MAX_DELIVERIES);
  const found = await deliveries(em)
    .selectFrom(newest.as('newest'))
    .distinctOn('endpointId')
    .select(['endpointId', 'createdAt', 'eventName', 'status', 'lastStatusCode', 'lastError'])
    .orderBy('endpointId')
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .execute();
  return new Map(
    found.map(({ endpointId, createdAt: at, eventName: event, status, ...response }) => [
      endpointId,
      { at, event, status, outcome: response.lastStatusCode?.toString() ?? response.lastError },
    ]),
  );
}

export async function listEndpointHealth(em: EntityManager, productId: string) {
  return endpointsOf(em, productId)
    .select(['url', 'events', 'failingSince', previousUntil().as('previousUntil')])
    .select(({ eb }) => eb('disabledAt', 'is not', null).$castTo<boolean>().as('isDisabled'))
    .execute();
}
