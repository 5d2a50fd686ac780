import { monthsAgo } from '../pool/pool-facts.ts';
import type { PageScene } from './scene/page-scene.ts';
import type { ShownPage } from './shown-page.ts';

const poolOf = ({ product }: PageScene, rest = '') =>
  `/console/products/${product.slug}/pool${rest}`;

export const POOL_PAGES: ShownPage[] = [
  { name: 'creator pool', as: 'builder', path: (scene) => poolOf(scene) },
  {
    name: 'month of the creator pool',
    as: 'builder',
    path: (scene) => poolOf(scene, `/${monthsAgo(4)}`),
  },
  {
    name: 'month of the creator pool in review',
    as: 'builder',
    path: (scene) => poolOf(scene, `/${monthsAgo(2)}`),
  },
  {
    name: 'no creator pool',
    as: 'returner',
    path: ({ kept }) => `/console/products/${kept.slug}/pool`,
  },
  { name: 'where a fee went', as: 'person', path: '/library/fees' },
  {
    name: 'where a corrected fee went',
    as: 'person',
    path: `/library/fees/${monthsAgo(5)}`,
  },
  { name: 'fee on its way', as: 'person', path: `/library/fees/${monthsAgo(0)}` },
  { name: 'no fees', as: 'keyholder', path: '/library/fees' },
];
