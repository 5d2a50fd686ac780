// Lists of the store that have an address of their own: of a category, of a maker.
import { html } from '@prairielearn/html';
import type { Category } from '../../domain/catalog/listing-words.ts';
import type { StoreProduct } from '../../domain/catalog/storefront-list.repository.ts';
import { emptyState } from '../html/parts/empty-state.ts';
import { CATEGORY_WORDS } from '../html/listing-labels.ts';
import { writePlural } from '../html/numbers.ts';
import { foundRows } from '../html/product-cards.ts';
import { pathWith } from '../html/parts/paging.ts';
import type { View } from '../http/route.ts';
import {
  categoryPath,
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
      ${
        products.length === 0
          ? emptyState({
              title: 'Nothing here yet',
              sentence: 'No product of this category is listed on this page.',
              link: { path: '/', label: 'See the whole store' },
            })
          : foundRows({ products })
      }
      ${pageLinks({ page, hasNext: hasMore && page < MOST_PAGES, to })}`,
  };
}

type MakerProps = { name: string; path: string; products: StoreProduct[] };

export function makerPage({ name, path, products }: MakerProps): View {
  return {
    title: name,
    description: `${writePlural(products.length, 'product')} by ${name}.`,
    canonical: path,
    content: html`<div class="page-head">
        <h1>${name}</h1>
        <p class="lead">${writePlural(products.length, 'product')} in the store.</p>
      </div>
      ${foundRows({ products })}`,
  };
}
