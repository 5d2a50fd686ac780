import type { EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';
import { deliveries } from '../deliveries/delivery.repository.ts';
import { previousUntil, secretVersion } from './secret-rotation.repository.ts';
import { WebhookEndpoint } from './endpoint.entity.ts';

export type EndpointView = {
  productId: string;
  url: string;
  events: string[];
  disabledAt: Date | null;
};

/** The endpoints of some products, those of each in the order of their slots. */
export async function listEndpoints(
  em: EntityManager,
  productIds: string[],
): Promise<EndpointView[]> {
  return em.find(
    WebhookEndpoint,
    { productId: { $in: productIds }, deletedAt: null },
    {
      fields: ['productId', 'url', 'events', 'disabledAt'],
      orderBy: { productId: 'asc', slot: 'asc' },
      disableIdentityMap: true,
    },
  );
}

/** The endpoints of a product, at most ten, in the order of their slots. */
const endpointsOf = (em: EntityManager, productId: string) =>
  kysely(em)
    .selectFrom('webhookEndpoint')
    .where('productId', '=', productId)
    .where('deletedAt', 'is', null)
    .orderBy('slot');

export type EndpointOption = {
  endpointId: string;
  url: string;
  createdAt: Date;
  isDisabled: boolean;
};

/** The current endpoints of a product, for a choice. */
export async function listEndpointOptions(
  em: EntityManager,
  productId: string,
): Promise<EndpointOption[]> {
  return endpointsOf(em, productId)
    .select(['id as endpointId', 'url', 'createdAt'])
    .select(({ eb }) => eb('disabledAt', 'is not', null).$castTo<boolean>().as('isDisabled'))
    .execute();
}

export type EndpointEntry = {
  endpointId: string;
  url: string;
  events: string[];
  createdAt: Date;
  disabledAt: Date | null;
  /** The end of the time in which the previous secret signs too; null when none does. */
  previousUntil: Date | null;
  /** Names the current secret. */
  secretVersion: string;
  last: LastDelivery | null;
};

/** The newest delivery, whatever its status. */
type LastDelivery = { at: Date; event: string; status: string; outcome: string | null };

// Deliveries are read by the product's index: the newest of them show the health of its endpoints.
const MAX_DELIVERIES = 200;

export async function listProductEndpoints(
  em: EntityManager,
  productId: string,
): Promise<EndpointEntry[]> {
  const endpoints = await endpointsOf(em, productId)
    .select(['id as endpointId', 'url', 'events', 'createdAt', 'disabledAt'])
    .select([previousUntil().as('previousUntil'), secretVersion.as('secretVersion')])
    .execute();
  const last = await findLastDeliveries(em, productId);
  return endpoints.map((endpoint) => ({
    ...endpoint,
    last: last.get(endpoint.endpointId) ?? null,
  }));
}

async function findLastDeliveries(
  em: EntityManager,
  productId: string,
): Promise<Map<string, LastDelivery>> {
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

export type EndpointHealth = {
  url: string;
  events: string[];
  isDisabled: boolean;
  failingSince: Date | null;
  /** Set while the previous secret signs too. */
  previousUntil: Date | null;
};

export async function listEndpointHealth(
  em: EntityManager,
  productId: string,
): Promise<EndpointHealth[]> {
  return endpointsOf(em, productId)
    .select(['url', 'events', 'failingSince', previousUntil().as('previousUntil')])
    .select(({ eb }) => eb('disabledAt', 'is not', null).$castTo<boolean>().as('isDisabled'))
    .execute();
}
