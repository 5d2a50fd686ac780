// Each change is one conditional statement, so that of two clicks one counts. Kysely binds the values:
// no encrypted secret stands in the text of a statement.
import type { EntityManager } from '../../../platform/database/database.ts';
import { NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import type { SubscribableName } from '../events.schema.ts';

export type EndpointKey = { productId: string; endpointId: string };
export type Target = { url: string; events: readonly SubscribableName[] };

const SLOTS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

export const updateEndpoint = (em: EntityManager, { productId, endpointId }: EndpointKey) =>
  kysely(em)
    .updateTable('webhookEndpoint')
    .where('id', '=', endpointId)
    .where('productId', '=', productId)
    .where('deletedAt', 'is', null);

export async function insertEndpoint(
  em: EntityManager,
  endpoint: Target & EndpointKey & { slot: number; encryptedSecret: string },
): Promise<void> {
  const { endpointId: id, productId, slot, url, events, encryptedSecret } = endpoint;
  await kysely(em)
    .insertInto('webhookEndpoint')
    .values({ id, productId, slot, url, events: [...events], encryptedSecret })
    .execute();
}

/** Finds the first free one of a product's ten slots. */
export async function findFreeSlot(
  em: EntityManager,
  productId: string,
): Promise<number | undefined> {
  const endpoints = await kysely(em)
    .selectFrom('webhookEndpoint')
    .select('slot')
    .where('productId', '=', productId)
    .where('deletedAt', 'is', null)
    .execute();
  const taken = new Set(endpoints.map(({ slot }) => slot));
  return SLOTS.find((slot) => !taken.has(slot));
}

/** True when another endpoint of the product has the URL, and would receive each event there too. */
export async function isUrlTaken(
  em: EntityManager,
  { productId, endpointId, url }: EndpointKey & Pick<Target, 'url'>,
): Promise<boolean> {
  const other = await kysely(em)
    .selectFrom('webhookEndpoint')
    .select('id')
    .where('productId', '=', productId)
    .where('id', '<>', endpointId)
    .where('url', '=', url)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  return other !== undefined;
}

/** Waiting deliveries go to the new address. False where there is no endpoint. */
export async function updateTarget(
  em: EntityManager,
  key: EndpointKey,
  { url, events }: Target,
): Promise<boolean> {
  const changed = await updateEndpoint(em, key)
    .set({ url, events: [...events] })
    .executeTakeFirst();
  return changed.numUpdatedRows === 1n;
}

export async function findEndpointUrl(
  em: EntityManager,
  { productId, endpointId }: EndpointKey,
): Promise<string | null> {
  const endpoint = await kysely(em)
    .selectFrom('webhookEndpoint')
    .select('url')
    .where('id', '=', endpointId)
    .where('productId', '=', productId)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  return endpoint?.url ?? null;
}

/** The state of an endpoint, which stays until the transaction ends; null where there is none. */
export async function holdEndpoint(
  em: EntityManager,
  { productId, endpointId }: EndpointKey,
): Promise<{ isEnabled: boolean } | null> {
  const endpoint = await kysely(em)
    .selectFrom('webhookEndpoint')
    .select('disabledAt')
    .where('id', '=', endpointId)
    .where('productId', '=', productId)
    .where('deletedAt', 'is', null)
    .forShare()
    .executeTakeFirst();
  return endpoint ? { isEnabled: endpoint.disabledAt === null } : null;
}

export type EndpointChange = 'disable' | 'enable' | 'delete';

/**
 * Deliveries read this before each attempt. False when nothing changes, or there is no endpoint.
 */
export async function changeState(
  em: EntityManager,
  key: EndpointKey,
  change: EndpointChange,
): Promise<boolean> {
  const endpoint = updateEndpoint(em, key);
  const changes = {
    disable: endpoint.set({ disabledAt: NOW }).where('disabledAt', 'is', null),
    enable: endpoint.set({ disabledAt: null }).where('disabledAt', 'is not', null),
    delete: endpoint.set({ deletedAt: NOW }),
  };
  const changed = await changes[change].executeTakeFirst();
  return changed.numUpdatedRows === 1n;
}
