import { html, type HtmlSafeString } from '@prairielearn/html';
import type {
  StoreList,
  StoreProduct,
} from '../../domain/catalog/listing/storefront-list.repository.ts';
import { decideListedPrice } from '../../domain/catalog/prices/listed-price.ts';
import type { OfferKind } from '../../domain/catalog/product.repository.ts';
import { formatMoney } from '../../domain/shared/money.ts';
import { emptyState } from '../html/form.ts';
import { paging } from '../html/table.ts';
import type { View } from '../http/route.ts';
import { SEAL_MARK } from '../html/seal-mark.ts';

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

/** `isNested` where the list stands below a heading of its own. */
export function productCards(
  products: StoreProduct[],
  empty: string,
  isNested = false,
): HtmlSafeString {
  if (products.length === 0) return html`<p>${empty}</p>`;
  return html`<ul class="cards">
    ${products.map((product) => html`<li>${card(product, isNested)}</li>`)}
  </ul>`;
}

function card(product: StoreProduct, isNested: boolean) {
  const { slug, name, tagline, sellerName, hasSeal } = product;
  const link = html`<a href="/p/${slug}">${name}</a>`;
  return html`<article>
    ${isNested ? html`<h3>${link}</h3>` : html`<h2>${link}</h2>`}
    <p>${tagline}</p>
    <p class="terms" data-price>${priceWords(product)}</p>
    ${hasSeal ? html`<p>${SEAL_MARK}</p>` : ''}
    <small class="muted">by ${sellerName}</small>
  </article>`;
}

function priceWords({ prices, delivery, includedWithMember }: StoreProduct) {
  const listed = decideListedPrice(prices);
  const own = delivery === 'entitlement_api' ? listed : null;
  const elsewhere = delivery === 'entitlement_api' ? '' : 'Sold elsewhere';
  const price = own ? amountWords(own) : elsewhere;
  const included = includedWithMember ? 'Included with Member' : '';
  return html`${price}${price !== '' && included !== '' ? html`<br />` : ''}${included}`;
}

function amountWords({ price, isLowest }: NonNullable<ReturnType<typeof decideListedPrice>>) {
  const { amountMinor, currency, kind } = price;
  const amount = html`<strong class="amount">${formatMoney(amountMinor, currency)}</strong>`;
  return html`${isLowest ? 'From ' : ''}${amount}${PER[kind]}`;
}

const PER: Record<OfferKind, string> = { one_time: '', monthly: ' / month', yearly: ' / year' };

const NAMES = { field: 'after', first: 'First products', next: 'More products' };

export function productPaging(props: Props & { path: string; query?: Record<string, string> }) {
  const { found, after, path, query = {} } = props;
  return paging({ path, query, before: after, next: found.next, names: NAMES });
}
