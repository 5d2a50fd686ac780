import { defineEntity, p } from '@mikro-orm/core';
import { OauthClient } from './clients/oauth-client.entity.ts';
import { Person } from '../identity/person.entity.ts';
import type { Scope } from './scope.ts';

/**
 * Grows with people and clients that they allow; kept until the account is deleted; removed by
 * `deleteAuthorizations`.
 */
export const Consent = defineEntity({
  name: 'Consent',
  properties: {
    personId: () => p.manyToOne(Person).mapToPk().joinColumn('person_id').primary(),
    clientId: () => p.manyToOne(OauthClient).mapToPk().joinColumn('client_id').primary(),
    scopes: p.array().$type<Scope[]>(),
    grantedAt: p.datetime(3),
    revokedAt: p.datetime(3).strictNullable(),
  },
  indexes: [{ name: 'consent_client', properties: ['clientId'], where: `revoked_at is null` }],
});

/**
 * The request of a consent page; the page's form carries the token of this row and nothing else. A
 * row with a decision stays for a moment: browsers send a form twice and follow the last response.
 * Grows with consent pages; kept for an hour; removed by `removeDeadAuthorizations`.
 */
export const PendingAuthorization = defineEntity({
  name: 'PendingAuthorization',
  properties: {
    tokenHash: p.blob().primary(),
    personId: () => p.manyToOne(Person).mapToPk().joinColumn('person_id'),
    clientId: () => p.manyToOne(OauthClient).mapToPk().joinColumn('client_id'),
    redirectUri: p.text(),
    scope: p.text(),
    state: p.text().strictNullable(),
    challenge: p.text().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    decision: p.enum(['allow', 'deny'] as const).strictNullable(),
    settledAt: p.datetime(3).strictNullable(),
    settledBy: p.blob().strictNullable(),
  },
  indexes: [{ name: 'pending_authorization_age', properties: ['createdAt'] }],
});

/**
 * Grows with sign-ins of products; kept for an hour, once used for 30 days; removed by
 * `removeDeadAuthorizations`.
 */
export const AuthorizationCode = defineEntity({
  name: 'AuthorizationCode',
  properties: {
    codeHash: p.blob().primary(),
    clientId: () => p.manyToOne(OauthClient).mapToPk().joinColumn('client_id'),
    personId: () => p.manyToOne(Person).mapToPk().joinColumn('person_id'),
    redirectUri: p.text(),
    scope: p.text(),
    challenge: p.text().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    consumedAt: p.datetime(3).strictNullable(),
    tokenHash: p.blob().strictNullable(),
  },
  indexes: [
    { name: 'authorization_code_age', properties: ['createdAt'] },
    { name: 'authorization_code_owner', properties: ['personId', 'clientId'] },
  ],
});

/**
 * A token is issued under the lock of a consent, which refers to client and person: foreign keys
 * would lock the row of a busy client at every exchange.
 * Grows with sign-ins of products; kept until 30 days after it expires; removed by
 * `removeDeadAuthorizations`.
 */
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
  indexes: [
    { name: 'access_token_age', properties: ['expiresAt'] },
    { name: 'access_token_owner', properties: ['personId', 'clientId'] },
  ],
});
