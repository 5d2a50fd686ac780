import { defineEntity, p } from '@mikro-orm/core';

import { CLIENT_KINDS } from './redirect-uri.ts';

export const OauthClient = defineEntity({
  name: 'OauthClient',
  properties: {
    id: p.text().primary(),
    /** Null for the platform's own first-party clients. */
    productId: p.uuid().strictNullable(),
    kind: p.enum(CLIENT_KINDS),
    name: p.text(),
    sendsIss: p.boolean().default(false),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    disabledAt: p.datetime(3).strictNullable(),
    deletedAt: p.datetime(3).strictNullable(),
  },
});

export const ClientSecret = defineEntity({
  name: 'ClientSecret',
  properties: {
    clientId: p.text().primary(),
    slot: p.smallint().primary(),
    secretHash: p.blob(),
    lastFour: p.text(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    expiresAt: p.datetime(3).strictNullable(),
  },
});

export const RedirectUri = defineEntity({
  name: 'RedirectUri',
  properties: { clientId: p.text().primary(), uri: p.text().primary() },
});
