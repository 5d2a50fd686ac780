import type { EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';
import { deliveries } from '../deliveries/delivery.repository.ts';
import { countFailing } from '../deliveries/failing-deliveries.repository.ts';
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

/**
 * Lists endpoints with what fails at each, counted one by one, and with their newest delivery,
 * whatever its status. `previousUntil` is the end of the time in which the previous secret signs too;
 * `secretVersion` names the current one.
 */
export async function listProductEndpoints(em: EntityManager, productId: string) {
  const endpoints = await endpointsOf(em, productId)
    .select(['id as endpointId', 'url', 'events', 'createdAt', 'disabledAt', 'failingSince'])
    .select([previousUntil().as('previousUntil'), secretVersion.as('secretVersion')])
    .select(countFailing(em, 'endpointId', 'webhookEndpoint.id'))
    .execute();
  const last = await findLastDeliveries(em, productId);
  return endpoints.map((endpoint) => ({
    ...endpoint,
    last: last.get(endpoint.endpointId) ?? null,
  }));
}

export type EndpointEntry = Awaited<ReturnType<typeof listProductEndpoints>>[number];

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
