// The pages of operators, of the documentation, and of errors.
import { authorizePath } from '../identity/oauth.ts';
import { openDetails, waitForReference } from './page-acts.ts';
import type { ShownPage } from './shown-page.ts';

export const OPERATOR_PAGES: ShownPage[] = [
  { name: 'operator', as: 'operator', path: '/operator' },
  { name: 'builders', as: 'operator', path: '/operator/builders', act: openDetails },
  { name: 'verified makers', as: 'operator', path: '/operator/builders?show=verified' },
  { name: 'accounts', as: 'operator', path: '/operator/accounts' },
  { name: 'accounts without a match', as: 'operator', path: '/operator/accounts?handle=nobody' },
  {
    name: 'one of the people',
    as: 'operator',
    path: ({ person }) => `/operator/people/${person.id}`,
  },
  { name: 'products', as: 'operator', path: '/operator/products' },
  { name: 'quality seals', as: 'operator', path: '/operator/seals' },
  { name: 'months of the pool', as: 'operator', path: '/operator/pool' },
  {
    name: 'month of the pool in review',
    as: 'operator',
    path: '/operator/pool/periods/2025-11:EUR',
    act: openDetails,
  },
  {
    name: 'product of a month of the pool',
    as: 'operator',
    path: ({ product }) => `/operator/pool/periods/2025-09:EUR?find=${product.slug}`,
    act: openDetails,
  },
  {
    name: 'open month of the pool',
    as: 'operator',
    path: '/operator/pool/periods/2026-11:EUR',
  },
  {
    name: 'month of the pool with payouts',
    as: 'operator',
    path: '/operator/pool/periods/2025-09:EUR',
  },
  {
    name: 'payouts of the pool',
    as: 'operator',
    path: '/operator/pool/payouts',
    act: openDetails,
  },
  { name: 'excluded evidence', as: 'operator', path: '/operator/pool/exclusions' },
  { name: 'share and minimum of the pool', as: 'operator', path: '/operator/pool/settings' },
  { name: 'fee and currencies', as: 'operator', path: '/operator/money' },
  { name: 'prices of Member', as: 'operator', path: '/operator/member' },
  { name: 'first-party clients', as: 'operator', path: '/operator/clients', act: openDetails },
  { name: 'audit trail', as: 'operator', path: '/operator/audit' },
  { name: 'alerts', as: 'operator', path: '/operator/alerts' },
  { name: 'dead-lettered events', as: 'operator', path: '/operator/events' },
  {
    name: 'dead-lettered event',
    as: 'operator',
    path: '/operator/events/simulator/evt_dead_letter',
  },
  { name: 'dead-lettered messages', as: 'operator', path: '/operator/messages' },
  { name: 'workflows', as: 'operator', path: '/operator/workflows' },
  { name: 'found nothing', as: 'operator', path: '/operator/find?q=nothing' },
  {
    name: 'found two',
    as: 'operator',
    path: ({ product, person }) => `/operator/find?q=entitlement:${product.id}:${person.id}`,
  },
  {
    name: 'endpoint for an operator',
    as: 'operator',
    path: ({ product, endpointId }) => `/console/products/${product.slug}/endpoints/${endpointId}`,
  },
  { name: 'guides', as: 'visitor', path: '/docs' },
  { name: 'guide', as: 'visitor', path: '/docs/running-in-production' },
  { name: 'API reference', as: 'visitor', path: '/docs/reference', act: waitForReference },
  { name: 'not found', as: 'person', path: '/no-such-page' },
  { name: 'not allowed', as: 'registrant', path: ({ client }) => authorizePath(client) },
];
