// The credentials of the demo's products.
import { insertKey, type KeyMode } from '../../domain/catalog/keys/api-key.repository.ts';
import { createClient } from '../../domain/oauth/clients/oauth-client.repository.ts';
import { grantCode } from '../../domain/oauth/consent.command.ts';
import { TOKEN_SECONDS } from '../../domain/oauth/tokens/lifetimes.ts';
import { hashCredential, newCredential, newUuid } from '../../domain/shared/ids.ts';
import type { Encryptor } from '../../domain/shared/secrets.ts';
import { encryptEndpointSecret } from '../../domain/webhooks/endpoints/endpoint-secret-encryption.ts';
import {
  findFreeSlot,
  insertEndpoint,
} from '../../domain/webhooks/endpoints/endpoint.repository.ts';
import { newEndpointSecret } from '../../domain/webhooks/endpoints/secret-rotation.repository.ts';
import { SUBSCRIBABLE } from '../../domain/webhooks/events.schema.ts';
import { rows, type EntityManager } from '../../platform/database/database.ts';
import { CLIENTS, PRODUCTS, TOKEN_SCOPES } from './demo-data.ts';

const ENDS = { api_key: 'revoked_at', webhook_endpoint: 'deleted_at', oauth_client: 'deleted_at' };

export async function makeKey(
  em: EntityManager,
  productId: string,
  mode: KeyMode,
): Promise<string> {
  return (await insertKey(em, { productId, mode, name: 'Demo' })).key;
}

export async function subscribe(
  em: EntityManager,
  { productId, url, encryptor }: { productId: string; url: string; encryptor: Encryptor },
) {
  const id = newUuid();
  const secret = newEndpointSecret();
  const events = SUBSCRIBABLE.map(({ name }) => name);
  const encryptedSecret = encryptEndpointSecret(encryptor, id, secret);
  const slot = (await findFreeSlot(em, productId))!;
  await insertEndpoint(em, { productId, endpointId: id, slot, url, events, encryptedSecret });
  return { id, url, secret, events };
}

export async function createClients(
  em: EntityManager,
  { id: productId, slug }: { id: string; slug: string },
) {
  const made = [];
  for (const { product, kind, name, redirectUris } of CLIENTS) {
    if (product !== slug) continue;
    const client = await createClient(em, { productId, kind, name, redirectUris });
    const { clientId: client_id, secret: client_secret } = client;
    made.push({ client_id, client_secret, kind, redirect_uris: redirectUris });
  }
  return made;
}

/** One token for each set of scopes. */
export async function createTokens(
  em: EntityManager,
  given: { productId: string; personId: string; clientId: string; redirectUri: string },
) {
  const { productId: product_id, personId: person_id, clientId: client_id } = given;
  const made = [];
  for (const scope of TOKEN_SCOPES) {
    const token = await createToken(em, { ...given, scope });
    made.push({ token, person_id, client_id, scope, product_id });
  }
  return made;
}

/** Makes what a sign-in leaves: a consent, a code and its token. */
export async function createToken(
  em: EntityManager,
  {
    clientId,
    personId,
    scope,
    redirectUri,
  }: Record<'clientId' | 'personId' | 'scope' | 'redirectUri', string>,
): Promise<string> {
  await grantCode(em, personId, { clientId, redirectUri, scope, challenge: null });
  const token = newCredential('gat_');
  await rows(
    em,
    `insert into access_token (token_hash, client_id, person_id, scope, expires_at)
     values (?, ?, ?, ?, gatehouse_now() + ? * interval '1 second')`,
    [hashCredential(token), clientId, personId, scope, TOKEN_SECONDS],
  );
  return token;
}

/** Ends the credentials of an earlier demo.json, which is gone. */
export async function removeCredentials(em: EntityManager): Promise<void> {
  const slugs = PRODUCTS.map(({ slug }) => `'${slug}'`).join(',');
  for (const [table, endedAt] of Object.entries(ENDS)) {
    await rows(
      em,
      `update ${table} set ${endedAt} = gatehouse_now() where ${endedAt} is null
         and product_id in (select product_id from product_slug where slug in (${slugs}))`,
    );
  }
}
