import { expressionBuilder } from 'kysely';
import { kysely, type Tables } from '../../kysely.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { NOW } from '../../../platform/database/expressions.ts';
import { iconHashOf } from '../../catalog/pictures/picture.repository.ts';
import { newClientId } from '../../shared/ids.ts';
import { removeStrayCodes } from '../authorization.repository.ts';
import { LIVE_SECRETS, writeSecret, type ClientKey } from './client-secret.repository.ts';
import { OauthClient, RedirectUri } from './oauth-client.entity.ts';
import type { ClientKind } from './redirect-uri.ts';

/**
 * A client that people may be sent to; null when it is unknown, disabled or deleted, or its product
 * removed.
 */
export async function findAuthorizeClient(em: EntityManager, clientId: string) {
  const client = await kysely(em)
    .selectFrom('oauthClient as client')
    .leftJoin('product', 'product.id', 'client.productId')
    .leftJoin('productSlug as slug', (join) =>
      join.onRef('slug.productId', '=', 'product.id').on('slug.isCurrent', '=', true),
    )
    .select(['client.id', 'client.kind', 'client.name', 'client.productId', 'client.sendsIss'])
    .select(['product.name as productName', 'slug.slug', REDIRECT_URIS.as('redirectUris')])
    .select(({ ref }) => iconHashOf(ref('client.productId')).as('iconHash'))
    .where('client.id', '=', clientId)
    .where('client.disabledAt', 'is', null)
    .where('client.deletedAt', 'is', null)
    .where('product.state', 'is distinct from', 'removed')
    .executeTakeFirst();
  return client ? { ...client, isFirstParty: client.productId === null } : null;
}

export type ClientView = NonNullable<Awaited<ReturnType<typeof findAuthorizeClient>>>;

const ofClient = expressionBuilder<Tables & { client: Tables['oauthClient'] }, 'client'>();

const REDIRECT_URIS = ofClient.fn<string[]>('array', [
  ofClient
    .selectFrom('redirectUri')
    .select('uri')
    .whereRef('clientId', '=', 'client.id')
    .orderBy('uri'),
]);

/** Keeps the client's redirect URIs until the transaction ends. */
export async function holdClient(em: EntityManager, clientId: string): Promise<void> {
  await kysely(em)
    .selectFrom('oauthClient')
    .select('id')
    .where('id', '=', clientId)
    .forShare()
    .execute();
}

export type NewClient = {
  productId: string | null;
  kind: ClientKind;
  name: string;
  redirectUris: readonly string[];
};

/**
 * Registers a client whose redirect URIs were checked before; a confidential client gets its first
 * secret.
 */
export async function createClient(
  em: EntityManager,
  { productId, kind, name, redirectUris }: NewClient,
): Promise<{ clientId: string; secret: string | null }> {
  const clientId = newClientId();
  await em.insert(OauthClient, { id: clientId, productId, kind, name });
  await em.insertMany(
    RedirectUri,
    [...new Set(redirectUris)].map((uri) => ({ clientId, uri })),
  );
  const secret = kind === 'confidential' ? await writeSecret(em, clientId, 1) : null;
  return { clientId, secret };
}

/** The product of the clients; null for those of the platform. */
type Owner = string | null;

export type RegisteredClient = Awaited<ReturnType<typeof listClients>>[number];

export async function listClients(em: EntityManager, productId: Owner) {
  return kysely(em)
    .selectFrom('oauthClient as client')
    .select(['client.id', 'client.name', 'client.kind', 'client.sendsIss'])
    .select(({ eb }) => eb('client.disabledAt', 'is not', null).$castTo<boolean>().as('isDisabled'))
    .select([REDIRECT_URIS.as('redirectUris'), LIVE_SECRETS.as('secrets')])
    .where('client.productId', productId === null ? 'is' : '=', productId)
    .where('client.deletedAt', 'is', null)
    .orderBy('client.createdAt')
    .orderBy('client.id')
    .execute();
}

/** The redirect URIs of a product's clients that people may be sent to. */
export async function listProductRedirectUris(
  em: EntityManager,
  productId: string,
): Promise<string[]> {
  const found = await kysely(em)
    .selectFrom('oauthClient as client')
    .innerJoin('redirectUri', 'redirectUri.clientId', 'client.id')
    .select('redirectUri.uri')
    .where('client.productId', '=', productId)
    .where('client.disabledAt', 'is', null)
    .where('client.deletedAt', 'is', null)
    .execute();
  return found.map(({ uri }) => uri);
}

export async function countClients(em: EntityManager, productId: Owner): Promise<number> {
  return em.count(OauthClient, { productId, deletedAt: null });
}

/** New clients of an owner wait here for each other. The platform has no row to lock. */
export async function lockOwner(em: EntityManager, productId: Owner): Promise<void> {
  if (productId !== null) {
    const product = kysely(em).selectFrom('product').select('id').where('id', '=', productId);
    await product.forNoKeyUpdate().execute();
    return;
  }
  await kysely(em)
    .selectNoFrom(({ fn, val }) =>
      fn('pg_advisory_xact_lock', [fn('hashtext', [val('first-party clients')])]).as('locked'),
    )
    .execute();
}

const CHANGES = {
  disable: { disabledAt: ofClient.fn.coalesce('client.disabledAt', NOW) },
  enable: { disabledAt: null },
  send_iss: { sendsIss: true },
  omit_iss: { sendsIss: false },
  delete: { deletedAt: NOW },
} as const;

export type ClientChange = keyof typeof CHANGES;

/** Changes a client that is locked. */
export async function updateClient(
  em: EntityManager,
  clientId: string,
  change: ClientChange,
): Promise<void> {
  await kysely(em)
    .updateTable('oauthClient as client')
    .set(CHANGES[change])
    .where('id', '=', clientId)
    .execute();
}

/**
 * Locks the client until its new redirect URIs are saved; the client's kind decides the rules. Null
 * when the product has no such client. A consent page that is being answered holds the same row:
 * its code exists already, or follows the new list.
 */
export async function lockClient(
  em: EntityManager,
  { productId, clientId }: ClientKey,
): Promise<ClientKind | null> {
  const client = await kysely(em)
    .selectFrom('oauthClient')
    .select('kind')
    .where('id', '=', clientId)
    .where('productId', 'is not distinct from', productId)
    .where('deletedAt', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return client?.kind ?? null;
}

export async function listRedirectUris(em: EntityManager, clientId: string): Promise<string[]> {
  const uris = await em.find(RedirectUri, { clientId });
  return uris.map(({ uri }) => uri);
}

/** Saves checked redirect URIs of a locked client. */
export async function replaceRedirectUris(
  em: EntityManager,
  clientId: string,
  client: { kind: ClientKind; redirectUris: readonly string[] },
): Promise<void> {
  await em.nativeDelete(RedirectUri, { clientId, uri: { $nin: [...client.redirectUris] } });
  await kysely(em)
    .insertInto('redirectUri')
    .values(client.redirectUris.map((uri) => ({ clientId, uri })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await removeStrayCodes(em, clientId, client);
}
