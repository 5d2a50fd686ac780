// Every page there is, in a state worth looking at. A page that is added is one line more.
import type { Page } from 'playwright-core';
import {
  refuseSignIn,
  refuseSignUp,
  createKey,
  refuseProfile,
  refuseClient,
  refuseEndpoint,
  refuseSlug,
  refusePrice,
  refuseRefund,
  showSecret,
  openDetails,
  waitForReference,
} from './page-acts.ts';
import { authorizePath } from '../identity/oauth.ts';
import type { PageScene, Role } from './page-scene.ts';

export type ShownPage = {
  name: string;
  as: Role;
  path: string | ((scene: PageScene) => string);
  /** What is done on the page before it is looked at. */
  act?: (page: Page) => Promise<void>;
};

const productPageOf = ({ product }: PageScene, page: string) =>
  `/console/products/${product.slug}${page}`;
const clientsOf = ({ product }: PageScene) => `/console/products/${product.slug}/clients`;
const endpointsOf = ({ product }: PageScene) => `/console/products/${product.slug}/endpoints`;
const endpointOf = (scene: PageScene) => `${endpointsOf(scene)}/${scene.endpointId}`;

const deliveriesOf = ({ product }: PageScene, rest = '') =>
  `/console/products/${product.slug}/deliveries${rest}`;

const saleOf = (scene: PageScene) => productPageOf(scene, `/purchases/${scene.purchaseId}`);

export const PAGES: ShownPage[] = [
  { name: 'store', as: 'visitor', path: '/' },
  { name: 'product', as: 'person', path: ({ product }) => `/p/${product.slug}` },
  {
    name: 'product with a reason',
    as: 'visitor',
    path: ({ product }) => `/p/${product.slug}?reason=currency_unknown`,
  },
  { name: 'product not for sale', as: 'visitor', path: ({ plain }) => `/p/${plain.slug}` },
  { name: 'draft of a product', as: 'builder', path: ({ draft }) => `/p/${draft.slug}` },
  { name: 'sign-in', as: 'visitor', path: '/sign-in' },
  { name: 'sign-in refused', as: 'visitor', path: '/sign-in', act: refuseSignIn },
  { name: 'sign-up', as: 'visitor', path: '/sign-up' },
  { name: 'sign-up refused', as: 'visitor', path: '/sign-up', act: refuseSignUp },
  { name: 'sign-up with a passkey', as: 'visitor', path: '/sign-up/passkey' },
  { name: 'check mail', as: 'visitor', path: '/check-mail' },
  { name: 'verify address', as: 'visitor', path: ({ verify }) => verify },
  { name: 'new address of another', as: 'person', path: ({ change }) => change },
  { name: 'stop a change of address', as: 'visitor', path: ({ stop }) => stop },
  { name: 'dead link', as: 'visitor', path: '/verify-email?token=x' },
  { name: 'forgot password', as: 'visitor', path: '/forgot-password' },
  { name: 'reset password', as: 'visitor', path: ({ reset }) => reset },
  { name: 'consent', as: 'person', path: ({ client }) => authorizePath(client) },
  { name: 'authorize refused', as: 'visitor', path: '/oauth/authorize?client_id=x' },
  { name: 'profile', as: 'person', path: '/settings/profile' },
  { name: 'profile refused', as: 'person', path: '/settings/profile', act: refuseProfile },
  { name: 'security', as: 'person', path: '/settings/security', act: openDetails },
  { name: 'security unconfirmed', as: 'registrant', path: '/settings/security' },
  {
    name: 'security without a password',
    as: 'keyholder',
    path: '/settings/security',
    act: openDetails,
  },
  { name: 'connected apps', as: 'person', path: '/settings/apps' },
  { name: 'no connected apps', as: 'registrant', path: '/settings/apps' },
  { name: 'purchases', as: 'person', path: '/settings/purchases' },
  { name: 'no purchases', as: 'registrant', path: '/settings/purchases' },
  { name: 'delete account', as: 'person', path: '/settings/delete-account' },
  { name: 'delete account of an owner', as: 'builder', path: '/settings/delete-account' },
  { name: 'purchase', as: 'person', path: ({ purchaseId }) => `/purchases/${purchaseId}` },
  { name: 'receipt', as: 'person', path: ({ purchaseId }) => `/purchases/${purchaseId}/receipt` },
  {
    name: 'subscription',
    as: 'person',
    path: ({ subscriptionId }) => `/subscriptions/${subscriptionId}`,
  },
  {
    name: 'cancel a subscription',
    as: 'person',
    path: ({ subscriptionId }) => `/subscriptions/${subscriptionId}/cancel`,
  },
  { name: 'Member', as: 'visitor', path: '/member' },
  { name: 'receipt of a period', as: 'person', path: ({ chargeId }) => `/receipts/${chargeId}` },
  { name: 'unverified', as: 'registrant', path: '/member/subscribe' },
  { name: 'library', as: 'person', path: '/library' },
  { name: 'empty library', as: 'registrant', path: '/library' },
  { name: 'console', as: 'builder', path: '/console' },
  { name: 'empty console', as: 'person', path: '/console' },
  { name: 'overview', as: 'builder', path: (scene) => productPageOf(scene, '') },
  { name: 'listing', as: 'builder', path: (scene) => productPageOf(scene, '/listing') },
  {
    name: 'listing refused',
    as: 'builder',
    path: (scene) => productPageOf(scene, '/listing'),
    act: refuseSlug,
  },
  { name: 'prices', as: 'builder', path: (scene) => productPageOf(scene, '/prices') },
  {
    name: 'prices refused',
    as: 'builder',
    path: (scene) => productPageOf(scene, '/prices'),
    act: refusePrice,
  },
  { name: 'selling', as: 'builder', path: (scene) => productPageOf(scene, '/selling') },
  {
    name: 'selling Included',
    as: 'builder',
    path: ({ included }) => `/console/products/${included.slug}/selling`,
  },
  {
    name: 'selling not ready',
    as: 'operator',
    path: ({ plain }) => `/console/products/${plain.slug}/selling`,
  },
  { name: 'remove', as: 'builder', path: (scene) => productPageOf(scene, '/remove') },
  { name: 'clients', as: 'builder', path: clientsOf, act: openDetails },
  { name: 'clients refused', as: 'builder', path: clientsOf, act: refuseClient },
  { name: 'keys', as: 'builder', path: ({ product }) => `/console/products/${product.slug}/keys` },
  {
    name: 'confirm that it is you',
    as: 'returner',
    path: ({ kept }) => `/console/products/${kept.slug}/keys`,
    act: createKey,
  },
  { name: 'endpoints', as: 'builder', path: endpointsOf },
  { name: 'endpoints refused', as: 'builder', path: endpointsOf, act: refuseEndpoint },
  { name: 'endpoint', as: 'builder', path: endpointOf, act: openDetails },
  { name: 'secret of an endpoint', as: 'builder', path: endpointOf, act: showSecret },
  {
    name: 'grants',
    as: 'builder',
    path: ({ product }) => `/console/products/${product.slug}/grants`,
  },
  { name: 'sales', as: 'builder', path: (scene) => productPageOf(scene, '/purchases') },
  { name: 'sale', as: 'builder', path: saleOf },
  { name: 'refund', as: 'builder', path: (scene) => `${saleOf(scene)}/refund` },
  { name: 'refund refused', as: 'builder', path: saleOf, act: refuseRefund },
  { name: 'deliveries', as: 'builder', path: (scene) => deliveriesOf(scene), act: openDetails },
  {
    name: 'disputes',
    as: 'builder',
    path: ({ product }) => `/console/products/${product.slug}/disputes`,
  },
  {
    name: 'subscribers',
    as: 'builder',
    path: ({ plain }) => `/console/products/${plain.slug}/subscribers`,
  },
  { name: 'no subscribers', as: 'builder', path: (scene) => productPageOf(scene, '/subscribers') },
  {
    name: 'recurring revenue',
    as: 'builder',
    path: ({ plain }) => `/console/products/${plain.slug}/recurring`,
  },
  { name: 'statement', as: 'builder', path: (scene) => productPageOf(scene, '/statements') },
  {
    name: 'statement of nothing',
    as: 'builder',
    path: (scene) => productPageOf(scene, '/statements/2020-01'),
  },
  {
    name: 'no such deliveries',
    as: 'builder',
    path: (scene) => deliveriesOf(scene, '?status=held'),
  },
  {
    name: 'delivery',
    as: 'builder',
    path: (scene) => deliveriesOf(scene, `/${scene.deadId}`),
    act: openDetails,
  },
  {
    name: 'recoveries',
    as: 'builder',
    path: ({ product }) => `/console/products/${product.slug}/recoveries`,
  },
  { name: 'recovery', as: 'builder', path: ({ recovery }) => recovery },
  {
    name: 'diagnostics',
    as: 'builder',
    path: ({ product }) => `/console/products/${product.slug}/diagnostics`,
  },
  {
    name: 'integrate',
    as: 'builder',
    path: ({ product }) => `/console/products/${product.slug}/integrate`,
  },
  {
    name: 'integrate before verification',
    as: 'person',
    path: ({ unverified }) => `/console/products/${unverified.slug}/integrate`,
  },
  {
    name: 'API keys before verification',
    as: 'person',
    path: ({ unverified }) => `/console/products/${unverified.slug}/keys`,
  },
  {
    name: 'requests',
    as: 'builder',
    path: ({ product }) => `/console/products/${product.slug}/requests`,
  },
  { name: 'notifications', as: 'builder', path: '/console/notifications' },
  { name: 'no notifications', as: 'person', path: '/console/notifications' },
  { name: 'verification', as: 'person', path: '/console/verification' },
  { name: 'operator', as: 'operator', path: '/operator' },
  { name: 'builders', as: 'operator', path: '/operator/builders' },
  {
    name: 'one of the people',
    as: 'operator',
    path: ({ person }) => `/operator/people/${person.id}`,
  },
  { name: 'products', as: 'operator', path: '/operator/products' },
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
  { name: 'guides', as: 'visitor', path: '/docs' },
  { name: 'guide', as: 'visitor', path: '/docs/running-in-production' },
  { name: 'API reference', as: 'visitor', path: '/docs/reference', act: waitForReference },
  { name: 'not found', as: 'person', path: '/no-such-page' },
  { name: 'not allowed', as: 'registrant', path: ({ client }) => authorizePath(client) },
];
