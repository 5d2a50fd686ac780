import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { CODE_SECONDS } from '../tokens/lifetimes.ts';
import type { ClientKey } from './oauth-client.repository.ts';
import { isRegistered, type ClientKind } from './redirect-uri.ts';

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

/** Deletes unused codes of redirect URIs that are no longer registered. */
async function removeStrayCodes(
  em: EntityManager,
  clientId: string,
  client: { kind: ClientKind; redirectUris: readonly string[] },
): Promise<void> {
  const unused = `client_id = ? and consumed_at is null
    and created_at > gatehouse_now() - interval '${CODE_SECONDS} seconds'`;
  const named = await rows<{ uri: string }>(
    em,
    `select distinct redirect_uri as uri from authorization_code where ${unused}`,
    [clientId],
  );
  const strays = named.map(({ uri }) => uri).filter((uri) => !isRegistered(uri, client));
  if (strays.length === 0) return;
  await rows(
    em,
    `delete from authorization_code
     where ${unused} and redirect_uri in (select jsonb_array_elements_text(?::jsonb))`,
    [clientId, JSON.stringify(strays)],
  );
}
