// The people, products and OAuth clients of the demo.
import type { ClientKind } from '../../domain/oauth/clients/redirect-uri.ts';

const DEMO_ROLES = ['operator', 'builder', 'member', 'buyer'] as const;
type DemoRole = (typeof DEMO_ROLES)[number];

export type DemoPerson = { handle: string; displayName: string; roles: DemoRole[] };

export const PEOPLE: DemoPerson[] = [
  { handle: 'olga', displayName: 'Olga Operator', roles: ['operator'] },
  { handle: 'ada', displayName: 'Ada Builder', roles: ['builder'] },
  { handle: 'ben', displayName: 'Ben Builder', roles: ['builder'] },
  { handle: 'mia', displayName: 'Mia Member', roles: ['member'] },
  { handle: 'bob', displayName: 'Bob Buyer', roles: ['buyer'] },
  { handle: 'nil', displayName: 'Nil Newcomer', roles: [] },
];

/** Prices in minor units by currency, the base price first; and the number of people with evidence. */
export const PRODUCTS = [
  {
    slug: 'paper-trail',
    name: 'Paper Trail',
    tagline: 'Every receipt you ever lost, found.',
    owner: 'ada',
    state: 'listed',
    includedWithMember: false,
    prices: { USD: 1900, BRL: 8900, EUR: 1800 },
    people: 40,
  },
  {
    slug: 'tide-table',
    name: 'Tide Table',
    tagline: 'The sea, one week ahead.',
    owner: 'ben',
    state: 'listed',
    includedWithMember: true,
    prices: { USD: 900 },
    people: 14,
  },
  {
    slug: 'night-shift',
    name: 'Night Shift',
    tagline: 'Rotas that let people sleep.',
    owner: 'ada',
    state: 'unlisted',
    includedWithMember: false,
    prices: { USD: 4900 },
    people: 40,
  },
] as const;

type DemoClient = { product: string; kind: ClientKind; name: string; redirectUris: string[] };

/** An app of one's own can listen at these addresses. */
export const CLIENTS: DemoClient[] = [
  {
    product: 'paper-trail',
    kind: 'confidential',
    name: 'Paper Trail on the web',
    redirectUris: [
      'http://localhost:4000/callback',
      'http://localhost:4000/callback?from=gatehouse',
    ],
  },
  {
    product: 'paper-trail',
    kind: 'public',
    name: 'Paper Trail in the browser',
    redirectUris: ['http://localhost:4000/app'],
  },
  {
    product: 'paper-trail',
    kind: 'native',
    name: 'Paper Trail on the desktop',
    redirectUris: ['http://127.0.0.1/callback'],
  },
  {
    product: 'tide-table',
    kind: 'confidential',
    name: 'Tide Table on the web',
    redirectUris: ['http://localhost:4001/callback'],
  },
];

export const TOKEN_SCOPES = ['identity', 'identity entitlements'];
