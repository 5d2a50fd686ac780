import { html } from '@prairielearn/html';
import type { StoreList } from '../../domain/catalog/storefront-list.repository.ts';
import { emptyState } from '../html/form.ts';
import { productCards, productPaging } from '../html/product-cards.ts';
import type { View } from '../http/route.ts';

type Props = { found: StoreList; after: string | null };

export function homePage({ found, after }: Props): View {
  return {
    title: 'Store',
    content: html`
      <h1>Store</h1>
      <p><a href="/member">Get Member</a>: one subscription, every included product.</p>
      ${productCards(found.products, 'No products yet.')}
      ${productPaging({ found, after, path: '/' })}
    `,
  };
}

export const SEARCH = '/search';
export const LONGEST_SEARCH = 100;

export function searchPage({ found, after, search }: Props & { search: string }): View {
  return {
    title: search === '' ? 'Search' : `${search}, search`,
    content: html`
      <h1>Search</h1>
      <search>
        <form class="search" method="get" action="${SEARCH}">
          <label>
            Name or tagline
            <input type="search" name="q" value="${search}" maxlength="${LONGEST_SEARCH}" />
          </label>
          <button type="submit" class="outline">Search products</button>
        </form>
      </search>
      ${
        found.products.length === 0
          ? emptyState('No products match.', { path: '/', label: 'See the whole store' })
          : productCards(found.products, '')
      }
      ${productPaging({ found, after, path: SEARCH, query: { q: search } })}
    `,
  };
}
