// Pages with the longest names and largest amounts, and with names in other scripts.
import { authorizePath } from '../identity/oauth.ts';
import type { PageScene } from './scene/page-scene.ts';
import type { ShownPage } from './shown-page.ts';

const longOf = ({ long }: PageScene, page = '') => `/console/products/${long.slug}${page}`;

export const EXTREME_PAGES: ShownPage[] = [
  { name: 'product with a long name', as: 'visitor', path: ({ long }) => `/p/${long.slug}` },
  {
    name: 'product with a right-to-left name',
    as: 'visitor',
    path: ({ rightToLeft }) => `/p/${rightToLeft.slug}`,
  },
  { name: 'product with an emoji', as: 'visitor', path: ({ emoji }) => `/p/${emoji.slug}` },
  { name: 'search of odd names', as: 'odd', path: '/search?q=name' },
  { name: 'library of odd names', as: 'odd', path: '/library' },
  { name: 'purchases of large amounts', as: 'odd', path: '/settings/purchases' },
  {
    name: 'receipt of a large amount',
    as: 'odd',
    path: ({ oddPurchaseId }) => `/purchases/${oddPurchaseId}/receipt`,
  },
  {
    name: 'consent to a long name',
    as: 'odd',
    path: ({ oddClient }) => authorizePath(oddClient),
  },
  { name: 'profile with a long name', as: 'odd', path: '/settings/profile' },
  { name: 'console of odd names', as: 'odd', path: '/console' },
  { name: 'overview with a long name', as: 'odd', path: (scene) => longOf(scene) },
  { name: 'prices of three decimals', as: 'odd', path: (scene) => longOf(scene, '/prices') },
  { name: 'sales of large amounts', as: 'odd', path: (scene) => longOf(scene, '/purchases') },
  {
    name: 'sale of a large amount',
    as: 'odd',
    path: (scene) => longOf(scene, `/purchases/${scene.oddPurchaseId}`),
  },
  { name: 'statement of large amounts', as: 'odd', path: (scene) => longOf(scene, '/statements') },
  { name: 'grants of odd names', as: 'odd', path: (scene) => longOf(scene, '/grants') },
  { name: 'share with a long name', as: 'odd', path: (scene) => longOf(scene, '/share') },
  {
    name: 'no deliveries',
    as: 'odd',
    path: ({ emoji }) => `/console/products/${emoji.slug}/deliveries`,
  },
  {
    name: 'no grants',
    as: 'odd',
    path: ({ rightToLeft }) => `/console/products/${rightToLeft.slug}/grants`,
  },
  {
    name: 'odd name among people',
    as: 'operator',
    path: ({ odd }) => `/operator/people/${odd.id}`,
  },
  { name: 'long name found', as: 'operator', path: ({ long }) => `/operator/find?q=${long.slug}` },
];
