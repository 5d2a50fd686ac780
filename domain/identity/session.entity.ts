import { defineEntity, p } from '@mikro-orm/core';

/** The strongest proof of the session; a passkey that was used once stays its proof. */
export type AuthenticatedBy = 'password' | 'passkey';

export const Session = defineEntity({
  name: 'Session',
  properties: {
    tokenHash: p.blob().primary(),
    id: p.uuid().defaultRaw('gen_random_uuid()'),
    personId: p.uuid(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    lastSeenAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    device: p.text().default('Unknown device'),
    authenticatedBy: p.text().$type<AuthenticatedBy>().default('password'),
    authenticatedAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    expiresAt: p.datetime(3),
  },
});

/** Where someone continues after sign-in; its cookie also carries the CSRF protection. */
export const PreSession = defineEntity({
  name: 'PreSession',
  properties: {
    tokenHash: p.blob().primary(),
    returnTo: p.text().strictNullable(),
    clickId: p.uuid().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    expiresAt: p.datetime(3),
  },
});
