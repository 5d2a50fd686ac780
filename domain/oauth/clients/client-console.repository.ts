import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { createClient, type ClientKey } from './oauth-client.repository.ts';
import type { Registration } from './client-registration.ts';
import type { ClientKind } from './redirect-uri.ts';

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
