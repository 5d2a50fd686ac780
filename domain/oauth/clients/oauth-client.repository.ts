import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { hashCredential, newClientId, newCredential } from '../../shared/ids.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import type { AuthorizeClient } from '../authorize-request.ts';
import { OauthClient, RedirectUri } from './oauth-client.entity.ts';
import type { ClientKind } from './redirect-uri.ts';
import type { Registration } from './client-registration.ts';
import { removeStrayCodes } from '../authorization.repository.ts';

const OVERLAP_HOURS = 48;

/** SQL, of a client `c` and its product `p`. */
export const IS_ENABLED = `
  c.disabled_at is null and c.deleted_at is null and coalesce(p.state, '') <> 'removed'`;

export type ClientView = AuthorizeClient & {
  name: string;
  productId: string | null;
  productName: string | null;
  sendsIss: boolean;
};

/**
 * A client that people may be sent to; null when it is unknown, disabled or deleted, or its product
 * removed.
 */
export async function findAuthorizeClient(
  em: EntityManager,
  clientId: string,
): Promise<ClientView | null> {
  const [found] = await rows<ClientView>(
    em,
    `select c.id, c.kind, c.product_id is null as "isFirstParty", c.name,
       c.product_id as "productId", p.name as "productName", c.sends_iss as "sendsIss",
       coalesce((select json_agg(uri order by uri) from redirect_uri u where u.client_id = c.id), '[]')
         as "redirectUris"
     from oauth_client c left join product p on p.id = c.product_id
     where c.id = ? and ${IS_ENABLED}`,
    [clientId],
  );
  return found ?? null;
}

/** Keeps the client's redirect URIs until the transaction ends. */
export async function holdClient(em: EntityManager, clientId: string): Promise<void> {
  await rows(em, 'select 1 from oauth_client where id = ? for share', [clientId]);
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
  client: NewClient,
): Promise<{ clientId: string; secret: string | null }> {
  const clientId = newClientId();
  const { productId, kind, name } = client;
  await em.insert(OauthClient, { id: clientId, productId, kind, name });
  await em.insertMany(
    RedirectUri,
    [...new Set(client.redirectUris)].map((uri) => ({ clientId, uri })),
  );
  const secret = kind === 'confidential' ? await writeSecret(em, clientId, 1) : null;
  return { clientId, secret };
}

/** A client within its product: a client of another product is not found. */
export type ClientKey = { productId: string | null; clientId: string };

/** Adds a secret beside the old one, which keeps working for 48 hours; at most two are live. */
export async function rotateSecret(
  em: EntityManager,
  { productId, clientId }: ClientKey,
): Promise<{ secret: string } | Refusal<'unknown' | 'two_live' | 'not_confidential'>> {
  const [client] = await rows<{ kind: ClientKind }>(
    em,
    `select kind from oauth_client
     where id = ? and product_id is not distinct from ? and deleted_at is null for update`,
    [clientId, productId],
  );
  if (!client) return refuse('unknown');
  if (client.kind !== 'confidential') return refuse('not_confidential');
  const live = await rows<{ slot: number }>(
    em,
    `select slot from client_secret
     where client_id = ? and (expires_at is null or expires_at > gatehouse_now())`,
    [clientId],
  );
  const free = [1, 2].find((slot) => live.every((secret) => secret.slot !== slot));
  if (free === undefined) return refuse('two_live');
  await rows(
    em,
    `update client_secret set expires_at = gatehouse_now() + ? * interval '1 hour'
     where client_id = ? and expires_at is null`,
    [OVERLAP_HOURS, clientId],
  );
  return { secret: await writeSecret(em, clientId, free) };
}

async function writeSecret(em: EntityManager, clientId: string, slot: number): Promise<string> {
  const secret = newCredential('gcs_');
  await rows(
    em,
    `insert into client_secret (client_id, slot, secret_hash, last_four) values (?, ?, ?, ?)
     on conflict (client_id, slot) do update
       set secret_hash = excluded.secret_hash, last_four = excluded.last_four,
         created_at = gatehouse_now(), expires_at = null`,
    [clientId, slot, hashCredential(secret), secret.slice(-4)],
  );
  return secret;
}

/** The product of the clients; null for those of the platform. */
type Owner = string | null;

/** A secret's last four characters alone. */
export type SecretView = { lastFour: string; expiresAt: string | null };

export type RegisteredClient = {
  id: string;
  name: string;
  kind: ClientKind;
  sendsIss: boolean;
  isDisabled: boolean;
  redirectUris: string[];
  secrets: SecretView[];
};

const MOST_CLIENTS = 20;

export async function listClients(
  em: EntityManager,
  productId: Owner,
): Promise<RegisteredClient[]> {
  const { where, values } = ownedBy(productId);
  return rows(
    em,
    `select c.id, c.name, c.kind, c.sends_iss as "sendsIss", c.disabled_at is not null as "isDisabled",
       array(select u.uri from redirect_uri u where u.client_id = c.id order by u.uri) as "redirectUris",
       coalesce((select json_agg(json_build_object('lastFour', s.last_four, 'expiresAt', s.expires_at)
           order by s.created_at desc)
         from client_secret s where s.client_id = c.id
           and (s.expires_at is null or s.expires_at > gatehouse_now())), '[]') as secrets
     from oauth_client c where ${where} and c.deleted_at is null
     order by c.created_at, c.id`,
    values,
  );
}

function ownedBy(productId: Owner): { where: string; values: string[] } {
  return productId === null
    ? { where: 'product_id is null', values: [] }
    : { where: 'product_id = ?', values: [productId] };
}

/**
 * Registers a client of an owner, who has at most twenty; two calls at once wait for each other.
 */
export async function registerClient(
  em: EntityManager,
  { productId, registration }: { productId: Owner; registration: Registration },
): Promise<{ clientId: string; secret: string | null } | Refusal<'too_many'>> {
  await lockOwner(em, productId);
  const { where, values } = ownedBy(productId);
  const live = await rows(
    em,
    `select 1 from oauth_client where ${where} and deleted_at is null`,
    values,
  );
  if (live.length >= MOST_CLIENTS) return refuse('too_many');
  return createClient(em, { productId, ...registration });
}

/** The platform has no row to lock. */
async function lockOwner(em: EntityManager, productId: Owner): Promise<void> {
  if (productId === null) {
    await rows(em, `select pg_advisory_xact_lock(hashtext('first-party clients'))`);
  } else await rows(em, 'select 1 from product where id = ? for update', [productId]);
}

const CHANGES = {
  disable: 'disabled_at = coalesce(disabled_at, gatehouse_now())',
  enable: 'disabled_at = null',
  send_iss: 'sends_iss = true',
  omit_iss: 'sends_iss = false',
  delete: 'deleted_at = gatehouse_now()',
} as const;

export type ClientChange = keyof typeof CHANGES;

/** False when the product has no such client. */
export async function changeClient(
  em: EntityManager,
  key: ClientKey,
  change: ClientChange,
): Promise<boolean> {
  const changed = await rows(
    em,
    `update oauth_client set ${CHANGES[change]}
     where id = ? and product_id is not distinct from ? and deleted_at is null returning 1`,
    [key.clientId, key.productId],
  );
  return changed.length === 1;
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
  const [client] = await rows<{ kind: ClientKind }>(
    em,
    `select kind from oauth_client
     where id = ? and product_id is not distinct from ? and deleted_at is null for no key update`,
    [clientId, productId],
  );
  return client?.kind ?? null;
}

/** Saves checked redirect URIs of a locked client. */
export async function replaceRedirectUris(
  em: EntityManager,
  clientId: string,
  client: { kind: ClientKind; redirectUris: readonly string[] },
): Promise<void> {
  const listed = JSON.stringify(client.redirectUris);
  await rows(
    em,
    `delete from redirect_uri
     where client_id = ? and uri not in (select jsonb_array_elements_text(?::jsonb))`,
    [clientId, listed],
  );
  await rows(
    em,
    `insert into redirect_uri (client_id, uri) select ?, jsonb_array_elements_text(?::jsonb)
     on conflict do nothing`,
    [clientId, listed],
  );
  await removeStrayCodes(em, clientId, client);
}
