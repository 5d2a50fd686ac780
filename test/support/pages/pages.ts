// Every page there is, in a state worth looking at. A page that is added is one line more.
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
  openMenu,
  signUp,
} from './page-acts.ts';
import { authorizePath } from '../identity/oauth.ts';
import { INTEGRATION_PAGES } from './integration-pages.ts';
import { OPERATOR_PAGES } from './operator-pages.ts';
import { POOL_PAGES } from './pool-pages.ts';
import type { PageScene } from './scene/page-scene.ts';
import type { ShownPage } from './shown-page.ts';
import { USAGE_PAGES } from './usage-pages.ts';

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
  { name: 'search', as: 'person', path: '/search?q=a' },
  { name: 'search without a match', as: 'visitor', path: '/search?q=nowhere+at+all' },
  { name: 'page that is not there', as: 'person', path: '/nowhere' },
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
  { name: 'check mail of a sign-up', as: 'visitor', path: '/sign-up', act: signUp },
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
  {
    name: 'checkout not finished',
    as: 'person',
    path: ({ unfinishedId }) => `/purchases/${unfinishedId}?cancelled=yes`,
  },
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
  { name: 'Member for a member', as: 'person', path: '/member' },
  { name: 'product for sale', as: 'visitor', path: ({ product }) => `/p/${product.slug}` },
  { name: 'receipt of a period', as: 'person', path: ({ chargeId }) => `/receipts/${chargeId}` },
  { name: 'confirm email to buy', as: 'registrant', path: '/member/subscribe' },
  { name: 'library', as: 'person', path: '/library' },
  { name: 'empty library', as: 'registrant', path: '/library' },
  { name: 'console', as: 'builder', path: '/console' },
  { name: 'design', as: 'builder', path: '/console/design', act: openDetails },
  { name: 'empty console', as: 'person', path: '/console' },
  { name: 'overview', as: 'builder', path: (scene) => productPageOf(scene, '') },
  {
    name: 'menu of a product',
    as: 'builder',
    path: (scene) => productPageOf(scene, '/grants'),
    act: openMenu,
  },
  { name: 'listing', as: 'builder', path: (scene) => productPageOf(scene, '/listing') },
  {
    name: 'listing refused',
    as: 'builder',
    path: (scene) => productPageOf(scene, '/listing'),
    act: refuseSlug,
  },
  {
    name: 'share',
    as: 'builder',
    path: (scene) => productPageOf(scene, '/share?src=newsletter-may'),
  },
  {
    name: 'share with a wrong return address',
    as: 'builder',
    path: (scene) => productPageOf(scene, '/share?return_to=https://elsewhere.example/'),
  },
  {
    name: 'prices',
    as: 'builder',
    path: (scene) => productPageOf(scene, '/prices'),
    act: openDetails,
  },
  {
    name: 'prices refused',
    as: 'builder',
    path: (scene) => productPageOf(scene, '/prices'),
    act: refusePrice,
  },
  {
    name: 'selling',
    as: 'builder',
    path: (scene) => productPageOf(scene, '/selling'),
    act: openDetails,
  },
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
  {
    name: 'keys',
    as: 'builder',
    path: ({ product }) => `/console/products/${product.slug}/keys`,
    act: openDetails,
  },
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
  {
    name: 'audit trail of a product',
    as: 'builder',
    path: (scene) => productPageOf(scene, '/audit'),
  },
  { name: 'sales', as: 'builder', path: (scene) => productPageOf(scene, '/purchases') },
  { name: 'sale', as: 'builder', path: saleOf },
  { name: 'refund', as: 'builder', path: (scene) => `${saleOf(scene)}/refund` },
  { name: 'refund refused', as: 'builder', path: saleOf, act: refuseRefund },
  { name: 'deliveries', as: 'builder', path: (scene) => deliveriesOf(scene), act: openDetails },
  { name: 'seal under notice', as: 'builder', path: (scene) => productPageOf(scene, '/seal') },
  {
    name: 'no seal',
    as: 'builder',
    path: ({ plain }) => `/console/products/${plain.slug}/seal`,
  },
  { name: 'disputes', as: 'builder', path: (scene) => productPageOf(scene, '/disputes') },
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
    name: 'delivery that waits',
    as: 'builder',
    path: (scene) => deliveriesOf(scene, `/${scene.waitingId}`),
  },
  {
    name: 'delivery for an operator',
    as: 'operator',
    path: (scene) => deliveriesOf(scene, `/${scene.waitingId}`),
  },
  {
    name: 'recoveries',
    as: 'builder',
    path: ({ product }) => `/console/products/${product.slug}/recoveries`,
  },
  { name: 'recovery', as: 'builder', path: ({ recovery }) => recovery },
  ...USAGE_PAGES,
  ...POOL_PAGES,
  ...INTEGRATION_PAGES,
  { name: 'notifications', as: 'builder', path: '/console/notifications' },
  { name: 'no notifications', as: 'person', path: '/console/notifications' },
  { name: 'verification', as: 'person', path: '/console/verification' },
  ...OPERATOR_PAGES,
];
