import type { OfferKind } from '../../../domain/catalog/product.repository.ts';
import { newUuid } from '../../../domain/shared/ids.ts';
import type { Encryptor } from '../../../domain/shared/secrets.ts';
import { encryptEndpointSecret } from '../../../domain/webhooks/endpoints/endpoint-secret-encryption.ts';
import type { TestDatabase } from '../engines/database.ts';

/** A person and a listed product of theirs, with an offer of 19.00 USD. */
export async function addProduct(
  { query }: TestDatabase,
  { isIncluded = false, kind = 'one_time' }: { isIncluded?: boolean; kind?: OfferKind } = {},
) {
  const [personId, productId] = [newUuid(), newUuid()];
  const handle = personId.replaceAll('-', '').slice(-20);
  await query(
    `insert into person (id, handle, display_name, email) values ($1, $2, 'P', $2 || '@example.com')`,
    [personId, handle],
  );
  await query(
    `insert into product (id, owner_person_id, name, tagline, state, included_with_member)
     values ($1, $2, 'P', '', 'listed', $3)`,
    [productId, personId, isIncluded],
  );
  const price = await addOffer({ query }, { productId, kind, isDefault: true });
  return { personId, productId, price };
}

/** For 19.00 USD. */
export async function addOffer(
  { query }: Pick<TestDatabase, 'query'>,
  {
    productId,
    kind,
    isDefault = false,
  }: { productId: string; kind: OfferKind; isDefault?: boolean },
) {
  const [offerId, priceId] = [newUuid(), newUuid()];
  await query(`insert into offer (id, product_id, kind, is_default) values ($1, $2, $3, $4)`, [
    offerId,
    productId,
    kind,
    isDefault,
  ]);
  await query(
    `insert into price (id, offer_id, currency, amount_minor, is_base) values ($1, $2, 'USD', 1900, true)`,
    [priceId, offerId],
  );
  return { priceId, offerId, amountMinor: 1_900, currency: 'USD', isBase: true, kind };
}

export async function addEndpoint(
  { query }: TestDatabase,
  endpoint: {
    productId: string;
    url: string;
    secret: string;
    encryptor: Encryptor;
    events?: string[];
    slot?: number;
  },
): Promise<string> {
  const id = newUuid();
  await query(
    `insert into webhook_endpoint (id, product_id, slot, url, events, encrypted_secret)
     values ($1, $2, $3, $4, $5, $6)`,
    [
      id,
      endpoint.productId,
      endpoint.slot ?? 1,
      endpoint.url,
      endpoint.events ?? ['purchase.completed', 'entitlement.created', 'entitlement.expired'],
      encryptEndpointSecret(endpoint.encryptor, id, endpoint.secret),
    ],
  );
  return id;
}
