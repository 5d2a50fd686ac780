import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { hashCredential, newClientId, newCredential } from '../../shared/ids.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import type { AuthorizeClient } from '../authorize-request.ts';
import { OauthClient, RedirectUri } from './oauth-client.entity.ts';
import type { ClientKind } from './redirect-uri.ts';

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
