import { defineEntity, p } from '@mikro-orm/core';
import { Person } from './person.entity.ts';

/** The strongest proof of the session; a passkey that was used once stays its proof. */
const AUTHENTICATED_BY = ['password', 'passkey'] as const;
export type AuthenticatedBy = (typeof AUTHENTICATED_BY)[number];

/** Grows with sign-ins; kept for at most 30 days; removed by `removeEndedSessions`. */
export const Session = defineEntity({
  name: 'Session',
  properties: {
    tokenHash: p.blob().primary(),
    id: p.uuid().defaultRaw('gen_random_uuid()').unique(),
    personId: () => p.manyToOne(Person).mapToPk().joinColumn('person_id'),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    lastSeenAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    device: p.text().default('Unknown device'),
    authenticatedBy: p.enum(AUTHENTICATED_BY).default('password'),
    authenticatedAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    expiresAt: p.datetime(3),
  },
  indexes: [
    { name: 'session_ended', properties: ['expiresAt'] },
    { name: 'session_person', properties: ['personId'] },
  ],
});

/**
 * The addresses from which a person signed in of late: many accounts on one address are a sign of made ones.
 * Grows with people and their addresses; kept for 90 days after the last sign-in from there; removed
 * by `removeOldSignInAddresses`.
 */
export const SignInAddress = defineEntity({
  name: 'SignInAddress',
  properties: {
    personId: () => p.manyToOne(Person).mapToPk().joinColumn('person_id').primary(),
    /** An IPv4 address, or an IPv6 network of 64 bits. */
    address: p.text().primary(),
    lastAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
  indexes: [
    { name: 'sign_in_address_address', properties: ['address'] },
    { name: 'sign_in_address_last', properties: ['lastAt'] },
  ],
});

/**
 * The page where a visitor continues after sign-in; its cookie also carries the CSRF protection.
 * Grows with sign-ins that a page asks for; kept for at most an hour; removed by
 * `removeEndedSessions`.
 */
export const PreSession = defineEntity({
  name: 'PreSession',
  properties: {
    tokenHash: p.blob().primary(),
    returnTo: p.text().strictNullable(),
    clickId: p.uuid().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    expiresAt: p.datetime(3),
  },
  indexes: [{ name: 'pre_session_ended', properties: ['expiresAt'] }],
  checks: [{ name: 'pre_session_is_small', expression: `length(return_to) <= 4096` }],
});
