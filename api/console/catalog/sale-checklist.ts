import { html } from '@prairielearn/html';
import type { ProductView } from '../../../domain/catalog/product.repository.ts';
import { waysToAsk } from '../../../domain/catalog/diagnose.ts';
import { hasSoldPrice } from '../../../domain/catalog/prices/price-list.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import {
  listSaleRequirements,
  type RequirementCode,
  type Requirement,
} from '../../../domain/billing/checkout/sale-requirements.ts';
import type { Need } from '../../html/parts/needs.ts';
import { productPath } from '../console-frame.ts';

type Words = { met: string; unmet: string; page: string; link: string };

/** The text of each line of the checklist, and the page that fixes it. */
const WORDS: Partial<Record<RequirementCode, Words>> = {
  not_listed: {
    met: 'Listed in the store',
    unmet: 'Not listed in the store',
    page: '/selling#state',
    link: 'List product',
  },
  no_active_price: {
    met: 'Price set',
    unmet: 'No price in an enabled currency',
    page: '/prices',
    link: 'Set a price',
  },
  no_commercial_operator: {
    met: 'Seller of record chosen',
    unmet: 'No seller of record',
    page: '/selling#operator',
    link: 'Choose the seller of record',
  },
  payouts_not_ready: {
    met: 'Payouts enabled',
    unmet: 'Payouts not enabled',
    page: '/selling#payouts',
    link: 'Set up payouts',
  },
  no_way_to_check: {
    met: 'Integration ready',
    unmet: 'No live API key or OAuth client',
    page: '/keys',
    link: 'Create an API key',
  },
};

export async function readRequirements(
  em: EntityManager,
  { product, ...credentials }: { product: ProductView } & Parameters<typeof waysToAsk>[0],
): Promise<Requirement[]> {
  return listSaleRequirements({
    ...product,
    ...waysToAsk(credentials),
    hasActivePrice: await hasSoldPrice(em, product.id),
  });
}

/** A requirement in a list of what waits: done, or with the way to it. */
export function toNeed(
  { slug }: Pick<ProductView, 'slug'>,
  { code, isMet }: Requirement,
  isNext = false,
): Need | null {
  const words = WORDS[code];
  if (!words) return null;
  return {
    mark: html`data-requirement="${code}" data-met="${isMet}"`,
    tone: isMet ? 'ok' : 'plain',
    title: isMet ? words.met : words.link,
    ...(isMet
      ? {}
      : {
          line: `${words.unmet}.`,
          action: { path: productPath(slug) + words.page, label: words.link, isMain: isNext },
        }),
  };
}

export function isReady(requirements: readonly Requirement[]): boolean {
  return requirements.every(({ isMet }) => isMet);
}
