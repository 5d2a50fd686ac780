// Every page there is, in a state worth looking at. A page that is added is one line more.
import {
  createKey,
  refuseClient,
  refuseEndpoint,
  refuseSlug,
  refusePrice,
  refuseRefund,
  saveStale,
  showSecret,
  openDetails,
  openMenu,
  openSwitcher,
} from './page-acts.ts';
import { EXTREME_PAGES } from './extreme-pages.ts';
import { IMPORT_PAGES } from './import-pages.ts';
import { INTEGRATION_PAGES } from './integration-pages.ts';
import { OPERATOR_PAGES } from './operator-pages.ts';
import { POOL_PAGES } from './pool-pages.ts';
import type { PageScene } from './scene/page-scene.ts';
import type { ShownPage } from './shown-page.ts';
import { STORE_PAGES } from './store-pages.ts';
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
  ...STORE_PAGES,
  { name: 'console', as: 'builder', path: '/console' },
  { name: 'design', as: 'builder', path: '/console/design', act: openDetails },
  { name: 'design of the store', as: 'builder', path: '/console/design/store' },
  { name: 'empty console', as: 'registrant', path: '/console' },
  { name: 'console of a team', as: 'builder', path: ({ teamId }) => `/console?owner=${teamId}` },
  { name: 'new product', as: 'builder', path: '/console/new-product' },
  {
    name: 'overview of a draft',
    as: 'builder',
    path: ({ draft }) => `/console/products/${draft.slug}`,
  },
  {
    name: 'switcher of a product',
    as: 'builder',
    path: (scene) => productPageOf(scene, ''),
    act: openSwitcher,
  },
  { name: 'switcher of teams', as: 'builder', path: '/console', act: openSwitcher },
  { name: 'teams', as: 'builder', path: '/console/teams' },
  { name: 'no teams', as: 'registrant', path: '/console/teams' },
  { name: 'team', as: 'builder', path: ({ teamId }) => `/console/teams/${teamId}` },
  {
    name: 'settings of a team',
    as: 'builder',
    path: ({ teamId }) => `/console/teams/${teamId}/settings`,
  },
  {
    name: 'usage of a team',
    as: 'builder',
    path: ({ teamId }) => `/console/teams/${teamId}/usage`,
  },
  {
    name: 'audit trail of a team',
    as: 'builder',
    path: ({ teamId }) => `/console/teams/${teamId}/audit`,
  },
  { name: 'roles', as: 'builder', path: '/console/roles' },
  { name: 'invitation of another', as: 'person', path: '/team-invitations/none', status: 404 },
  { name: 'payouts of products', as: 'builder', path: '/console/payouts' },
  { name: 'statements of products', as: 'builder', path: '/console/statements' },
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
    name: 'listing that someone else saved',
    as: 'builder',
    path: (scene) => productPageOf(scene, '/listing'),
    act: saveStale,
  },
  {
    name: 'listing of a draft',
    as: 'builder',
    path: ({ draft }) => `/console/products/${draft.slug}/listing`,
  },
  ...IMPORT_PAGES,
  { name: 'releases', as: 'builder', path: (scene) => productPageOf(scene, '/releases') },
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
    path: (scene) => productPageOf(scene, '/prices?kind=one_time&currency=EUR'),
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
    name: 'access',
    as: 'builder',
    path: ({ product }) => `/console/products/${product.slug}/grants`,
  },
  {
    name: 'no access given',
    as: 'builder',
    path: ({ plain }) => `/console/products/${plain.slug}/grants`,
  },
  {
    name: 'audit trail of a product',
    as: 'builder',
    path: (scene) => productPageOf(scene, '/audit'),
  },
  { name: 'sales', as: 'builder', path: (scene) => productPageOf(scene, '/purchases') },
  {
    name: 'sales without a match',
    as: 'builder',
    path: (scene) => productPageOf(scene, '/purchases?find=nobody_at_all'),
  },
  {
    name: 'no sales',
    as: 'builder',
    path: ({ draft }) => `/console/products/${draft.slug}/purchases`,
  },
  { name: 'sale', as: 'builder', path: saleOf },
  {
    name: 'sale partly refunded',
    as: 'builder',
    path: (scene) => productPageOf(scene, `/purchases/pay_02${'4'.padStart(24, '0')}`),
  },
  { name: 'refund', as: 'builder', path: (scene) => `${saleOf(scene)}/refund` },
  { name: 'refund refused', as: 'builder', path: saleOf, act: refuseRefund },
  { name: 'deliveries', as: 'builder', path: (scene) => deliveriesOf(scene) },
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
  ...EXTREME_PAGES,
];
