// The products that fill the store of the demo. Nothing else is done with them: people can buy them.
import type { DemoPerson } from '../demo-data.ts';
import { PRODUCTS_FOR_HOME } from './products-for-home.ts';
import { PRODUCTS_FOR_WORK } from './products-for-work.ts';
import type { StoreListing, StoreProduct } from './store-product.ts';

export const MAKERS: DemoPerson[] = [
  { handle: 'mara', displayName: 'Mara Solis', roles: ['builder'] },
  { handle: 'kenji', displayName: 'Kenji Watanabe', roles: ['builder'] },
  { handle: 'lotte', displayName: 'Lotte Brandt', roles: ['builder'] },
  { handle: 'tariq', displayName: 'Tariq Aziz', roles: ['builder'] },
  { handle: 'joana', displayName: 'Joana Carvalho', roles: ['builder'] },
  { handle: 'fenn', displayName: 'Fenn & Daughters', roles: ['builder'] },
];

/** Describes the products that the demo's stories are about. */
export const LISTINGS: Record<string, StoreListing> = {
  'paper-trail': {
    category: 'finance',
    platforms: ['web', 'ios', 'api'],
    tags: ['receipts', 'bookkeeping', 'search'],
    does: ['Reads receipts from mail and photographs.', 'Finds them by shop, day or sum.'],
    look: { glyph: 'page', screen: 'list', hue: 160 },
  },
  'tide-table': {
    category: 'utilities',
    platforms: ['web', 'ios', 'android'],
    tags: ['sea', 'sailing', 'weather'],
    does: ['Shows each tide of the coming week.', 'Works where there is no signal.'],
    look: { glyph: 'wave', screen: 'chart', hue: 205 },
  },
  'night-shift': {
    category: 'business',
    platforms: ['web'],
    tags: ['rotas', 'teams'],
    does: ['Plans nights so that nobody has three in a row.', 'Asks before it moves a shift.'],
    look: { glyph: 'moon', screen: 'calendar', hue: 245 },
  },
};

/** The newest first, of both kinds in turn. */
export const STORE_PRODUCTS: readonly StoreProduct[] = PRODUCTS_FOR_WORK.flatMap((work, index) => [
  work,
  ...PRODUCTS_FOR_HOME.slice(index, index + 1),
]);
