// Each change is one conditional statement, so that of two clicks one counts. Kysely binds the values:
// no encrypted secret stands in the text of a statement.
import { expressionBuilder, sql } from 'kysely';
import type { EntityManager } from '../../../platform/database/database.ts';
import { fromNow, NOW } from '../../../platform/database/expressions.ts';
import { kysely, type Tables } from '../../kysely.ts';
import { newSecret } from '../../shared/ids.ts';
import type { Encryptor } from '../../shared/secrets.ts';
import type { SubscribableName } from '../events.schema.ts';
import { decryptEndpointSecret } from './endpoint-secret-encryption.ts';

export type EndpointKey = { productId: string; endpointId: string };
export type Target = { url: string; events: readonly SubscribableName[] };

const SLOTS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

const update = (em: EntityManager, { productId, endpointId }: EndpointKey) =>
  kysely(em)
    .updateTable('webhookEndpoint')
    .where('id', '=', endpointId)
    .where('productId', '=', productId)
    .where('deletedAt', 'is', null);

/** An HMAC key, prefix included. The row stores it encrypted, because signing needs it. */
export function newEndpointSecret(): string {
  return `whsec_${newSecret()}`;
}

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
  const changed = await update(em, key)
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
  const endpoint = update(em, key);
  const changes = {
    disable: endpoint.set({ disabledAt: NOW }).where('disabledAt', 'is', null),
    enable: endpoint.set({ disabledAt: null }).where('disabledAt', 'is not', null),
    delete: endpoint.set({ deletedAt: NOW }),
  };
  const changed = await changes[change].executeTakeFirst();
  return changed.numUpdatedRows === 1n;
}

/** Names the current secret without revealing it. */
export const secretVersion = sql<string>`left(encode(sha256(convert_to(encrypted_secret, 'UTF8')), 'hex'), 16)`;

/** Is null when the previous secret signs no more. */
export function previousUntil() {
  const { eb, ref } = expressionBuilder<Tables, 'webhookEndpoint'>();
  return eb.case().when('previousUntil', '>', NOW).then(ref('previousUntil')).end();
}

type Rotation = { encryptedSecret: string; replaces: string; windowDays: number };

/**
 * The current secret becomes the previous one, which signs too until the window ends; an older
 * previous secret signs no more. Of two clicks one replaces the secret that both have seen.
 */
export async function rotateSecret(
  em: EntityManager,
  key: EndpointKey,
  { encryptedSecret, replaces, windowDays }: Rotation,
): Promise<boolean> {
  const rotated = await update(em, key)
    .set(({ ref }) => ({
      encryptedSecret,
      previousEncryptedSecret: windowDays > 0 ? ref('encryptedSecret') : null,
      previousUntil: windowDays > 0 ? fromNow(`${windowDays} days`) : null,
    }))
    .where(secretVersion, '=', replaces)
    .executeTakeFirst();
  return rotated.numUpdatedRows === 1n;
}

export type Secrets = {
  current: string;
  /** Set while it signs too. */
  previous: { secret: string; until: Date } | null;
};

export async function openSecrets(
  em: EntityManager,
  { productId, endpointId }: EndpointKey,
  encryptor: Encryptor,
): Promise<Secrets | null> {
  const found = await kysely(em)
    .selectFrom('webhookEndpoint')
    .select(['encryptedSecret', 'previousEncryptedSecret', previousUntil().as('until')])
    .where('id', '=', endpointId)
    .where('productId', '=', productId)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  if (!found) return null;
  const { encryptedSecret, previousEncryptedSecret, until } = found;
  const open = (encrypted: string) => decryptEndpointSecret(encryptor, endpointId, encrypted);
  const previous =
    until === null || previousEncryptedSecret === null
      ? null
      : { secret: open(previousEncryptedSecret), until };
  return { current: open(encryptedSecret), previous };
}
