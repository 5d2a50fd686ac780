import { html } from '@prairielearn/html';
import type { StoreList } from '../../domain/catalog/storefront-list.repository.ts';
import { emptyState } from '../html/parts/empty-state.ts';
import { writePlural } from '../html/numbers.ts';
import { searchForm } from '../html/header.ts';
import { foundRows, productPaging } from '../html/product-cards.ts';
import type { View } from '../http/route.ts';

export const SEARCH = '/search';
export const LONGEST_SEARCH = 100;

type Props = { found: StoreList; after: string | null; search: string };

export function searchPage({ found, after, search }: Props): View {
  const { products } = found;
  return {
    title: search === '' ? 'Search' : `${search}, search`,
    search,
    content: html`
      <div class="page-head">
        <h1>${titleOf(products.length, { found, search, after })}</h1>
      </div>
      <search class="narrow-only">${searchForm(search)}</search>
      ${
        products.length === 0
          ? emptyState({
              title: 'No products match',
              sentence: 'Try fewer or other words: the search looks at names and taglines.',
              link: { path: '/', label: 'See the whole store' },
            })
          : foundRows(products, search)
      }
      ${productPaging({ found, after, path: SEARCH, query: { q: search } })}
    `,
  };
}

function titleOf(count: number, { found, search, after }: Props): string {
  if (search === '') return 'All products';
  if (count === 0) return `No products for “${search}”`;
  if (after !== null) return `More products for “${search}”`;
  if (found.next !== null) return `More than ${writePlural(count, 'product')} for “${search}”`;
  return `${writePlural(count, 'product')} for “${search}”`;
}
