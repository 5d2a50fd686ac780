import { html } from '@prairielearn/html';
import type { StoreList } from '../../domain/catalog/storefront-list.repository.ts';
import { gate } from '../html/emblems.ts';
import { emptyState } from '../html/form.ts';
import { searchForm } from '../html/header.ts';
import { productCards, productPaging } from '../html/product-cards.ts';
import type { View } from '../http/route.ts';

type Props = { found: StoreList; after: string | null };

export function homePage({ found, after }: Props): View {
  return {
    title: 'Store',
    section: 'store',
    content: html`
      ${after === null ? HERO : html`<h1>Store</h1>`}
      ${productCards(found.products, 'No products yet.')}
      ${productPaging({ found, after, path: '/' })} ${after === null ? MEMBER_PANEL : ''}
    `,
  };
}

const HERO = html`<div class="hero">
  <div>
    <h1>Good software, from the people who make it.</h1>
    <p>
      Buy it once, or by the month. One account opens everything you own, and one Member
      subscription opens every included product.
    </p>
    ${searchForm()}
  </div>
  ${gate('open')}
</div>`;

const MEMBER_PANEL = html`<section class="member-panel">
  <div>
    <h2>One subscription, every included product</h2>
    <p>Open any of them with your account. The fee goes to the makers of what you use.</p>
  </div>
  <a class="button" href="/member">See what is included</a>
</section>`;

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
