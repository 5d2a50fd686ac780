import { defineEntity, p } from '@mikro-orm/core';
import { Product } from '../../catalog/product.entity.ts';
import { CLIENT_KINDS } from './redirect-uri.ts';

/** Grows with clients; kept for good. */
export const OauthClient = defineEntity({
  name: 'OauthClient',
  properties: {
    id: p.text().primary(),
    /** The product; null for a first-party client. */
    productId: () => p.manyToOne(Product).mapToPk().joinColumn('product_id').strictNullable(),
    kind: p.enum(CLIENT_KINDS),
    name: p.text(),
    sendsIss: p.boolean().default(false),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    disabledAt: p.datetime(3).strictNullable(),
    deletedAt: p.datetime(3).strictNullable(),
    /** The instant at which the last consent of a deleted client was revoked. */
    consentsEndedAt: p.datetime(3).strictNullable(),
  },
  indexes: [
    { name: 'oauth_client_product', properties: ['productId'] },
    {
      name: 'oauth_client_deleted',
      properties: ['id'],
      where: `deleted_at is not null and consents_ended_at is null`,
    },
  ],
});

/**
 * Two slots allow at most two secrets of a client at once.
 * Grows with clients, at most two each; kept until it is replaced; removed by `rotateSecret`.
 */
export const ClientSecret = defineEntity({
  name: 'ClientSecret',
  properties: {
    clientId: () => p.manyToOne(OauthClient).mapToPk().joinColumn('client_id').primary(),
    slot: p.smallint().primary(),
    secretHash: p.blob(),
    lastFour: p.text(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    expiresAt: p.datetime(3).strictNullable(),
  },
  checks: [{ name: 'client_secret_slot_check', expression: `slot in (1, 2)` }],
});

/**
 * Grows with redirect URIs of clients; kept until its owner removes it; removed by
 * `replaceRedirectUris`.
 */
export const RedirectUri = defineEntity({
  name: 'RedirectUri',
  properties: {
    clientId: () => p.manyToOne(OauthClient).mapToPk().joinColumn('client_id').primary(),
    uri: p.text().primary(),
  },
  checks: [{ name: 'redirect_uri_is_short', expression: `length(uri) <= 2048` }],
});
