import { defineEntity, p } from '@mikro-orm/core';

export const Consent = defineEntity({
  name: 'Consent',
  properties: {
    personId: p.uuid().primary(),
    clientId: p.text().primary(),
    scopes: p.array(),
    grantedAt: p.datetime(3),
    revokedAt: p.datetime(3).strictNullable(),
  },
});

/**
 * The request of a consent page, and for a moment its answer; the page's form carries the token of
 * this row alone.
 */
export const PendingAuthorization = defineEntity({
  name: 'PendingAuthorization',
  tableName: 'authorize_request',
  properties: {
    tokenHash: p.blob().primary(),
    personId: p.uuid(),
    clientId: p.text(),
    redirectUri: p.text(),
    scope: p.text(),
    state: p.text().strictNullable(),
    challenge: p.text().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    decision: p.text().strictNullable(),
    settledAt: p.datetime(3).strictNullable(),
    settledBy: p.blob().strictNullable(),
  },
});

export const AuthorizationCode = defineEntity({
  name: 'AuthorizationCode',
  properties: {
    codeHash: p.blob().primary(),
    clientId: p.text(),
    personId: p.uuid(),
    redirectUri: p.text(),
    scope: p.text(),
    challenge: p.text().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    consumedAt: p.datetime(3).strictNullable(),
    tokenHash: p.blob().strictNullable(),
  },
});

export const AccessToken = defineEntity({
  name: 'AccessToken',
  properties: {
    tokenHash: p.blob().primary(),
    clientId: p.text(),
    personId: p.uuid(),
    scope: p.text(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    expiresAt: p.datetime(3),
    revokedAt: p.datetime(3).strictNullable(),
  },
});
