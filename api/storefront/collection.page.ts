// Lists of the store that have an address of their own: of a category, of a maker.
import { html } from '@prairielearn/html';
import type { Category } from '../../domain/catalog/listing-words.ts';
import type { Maker } from '../../domain/catalog/search/maker.repository.ts';
import type { StoreProduct } from '../../domain/catalog/storefront-list.repository.ts';
import { emptyState } from '../html/parts/empty-state.ts';
import { CATEGORY_WORDS } from '../html/listing-labels.ts';
import { writePlural } from '../html/numbers.ts';
import { foundRows } from '../html/product-cards.ts';
import { pathWith } from '../html/parts/paging.ts';
import type { View } from '../http/route.ts';
import {
  categoryPath,
  emptyPage,
  MOST_PAGES,
  NO_FILTERS,
  pageLinks,
  pageQuery,
  searchPath,
} from './search-request.ts';

type CategoryProps = {
  category: Category;
  products: StoreProduct[];
  page: number;
  hasMore: boolean;
};

export function categoryPage({ category, products, page, hasMore }: CategoryProps): View {
  const name = CATEGORY_WORDS[category];
  const path = categoryPath(category);
  const to = (number: number) => pathWith(path, pageQuery(number));
  return {
    title: page === 1 ? name : `${name}, page ${page}`,
    description: `${name} from the people who make it.`,
    canonical: to(page),
    content: html`<div class="page-head">
        <h1>${name}</h1>
        <div class="actions">
          <a href="${searchPath({ filters: { ...NO_FILTERS, category } })}">Search in ${name}</a>
        </div>
      </div>
      ${products.length === 0 ? noProducts(page, path) : foundRows({ products })}
      ${pageLinks({ page, hasNext: hasMore && page < MOST_PAGES, to })}`,
  };
}

const noProducts = (page: number, path: string) =>
  page > 1
    ? emptyPage(path)
    : emptyState({
        title: 'Nothing here yet',
        sentence: 'No product of this category is listed.',
        link: { path: '/', label: 'See the whole store' },
      });

/** PostgreSQL took too long to list a category. */
export function slowCategoryPage(category: Category): View {
  const name = CATEGORY_WORDS[category];
  return {
    title: name,
    isNoIndex: true,
    content: html`<h1>${name}</h1>
      ${emptyState({
        title: 'This category took too long',
        sentence: 'Try again in a few seconds, or search in it.',
        link: {
          path: searchPath({ filters: { ...NO_FILTERS, category } }),
          label: `Search in ${name}`,
        },
      })}`,
  };
}

type MakerProps = {
  maker: Maker;
  path: string;
  products: StoreProduct[];
  page: number;
  hasMore: boolean;
};

export function makerPage({ maker, path, products, page, hasMore }: MakerProps): View {
  const { name } = maker;
  const count = writePlural(maker.productCount, 'product');
  const to = (number: number) => pathWith(path, pageQuery(number));
  return {
    title: page === 1 ? name : `${name}, page ${page}`,
    description: `${count} by ${name}.`,
    canonical: to(page),
    content: html`<div class="page-head">
        <h1>${name}</h1>
        <p class="lead">${count} in the store.</p>
      </div>
      ${products.length === 0 ? emptyPage(path) : foundRows({ products })}
      ${pageLinks({ page, hasNext: hasMore && page < MOST_PAGES, to })}`,
  };
}
