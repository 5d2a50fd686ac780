// The OAuth part of the demo data: clients of the first product, and tokens of the buyer.
import { TOKEN_SECONDS } from '../../domain/oauth/tokens/lifetimes.ts';
import { createClient } from '../../domain/oauth/clients/oauth-client.repository.ts';
import { rows, type EntityManager } from '../../platform/database/database.ts';
import { hashCredential, newCredential } from '../../domain/shared/ids.ts';
import { CLIENTS, PRODUCTS, TOKEN_SCOPES, type DemoData } from './cast.ts';

type DemoProduct = DemoData['products'][number];

export async function createClients(
  em: EntityManager,
  productId: string,
): Promise<DemoProduct['clients']> {
  const made: DemoProduct['clients'] = [];
  for (const client of CLIENTS) {
    const { clientId, secret } = await createClient(em, { productId, ...client });
    const { kind, redirectUris } = client;
    made.push({ client_id: clientId, client_secret: secret, kind, redirect_uris: redirectUris });
  }
  return made;
}

/** One token for each set of scopes, of the confidential client. */
export async function createTokens(
  em: EntityManager,
  { id: productId, clients }: DemoProduct,
  personId: string,
): Promise<DemoData['tokens']> {
  const clientId = clients[0]!.client_id;
  await rows(
    em,
    `insert into consent (person_id, client_id, scopes, granted_at)
     values (?, ?, string_to_array(?, ' '), gatehouse_now())`,
    [personId, clientId, TOKEN_SCOPES.at(-1)],
  );
  const made: DemoData['tokens'] = [];
  for (const scope of TOKEN_SCOPES) {
    const token = newCredential('gat_');
    await rows(
      em,
      `insert into access_token (token_hash, client_id, person_id, scope, expires_at)
       values (?, ?, ?, ?, gatehouse_now() + ? * interval '1 second')`,
      [hashCredential(token), clientId, personId, scope, TOKEN_SECONDS],
    );
    made.push({ token, person_id: personId, client_id: clientId, scope, product_id: productId });
  }
  return made;
}

/** Of an earlier demo.json that is gone: nobody has their secrets any more. */
export async function removeDemoClients(em: EntityManager): Promise<void> {
  await rows(
    em,
    `update oauth_client set deleted_at = gatehouse_now()
     where deleted_at is null
       and product_id = (select product_id from product_slug where slug = ?)`,
    [PRODUCTS[0].slug],
  );
}
