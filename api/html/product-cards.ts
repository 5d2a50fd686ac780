// Products of the store as cards, page by page.
import { html, type HtmlSafeString } from '@prairielearn/html';
import type { StoreList, StoreProduct } from '../../domain/catalog/storefront-list.repository.ts';
import { decideListedPrice } from '../../domain/catalog/prices/listed-price.ts';
import type { OfferKind } from '../../domain/catalog/product.repository.ts';
import { icon } from './icon.ts';
import { formatMoney } from '../../domain/shared/money.ts';
import { appIcon } from './emblems.ts';
import { SEAL_MARK } from './seal-mark.ts';
import { paging } from './table.ts';

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
  const title = html`${link} ${hasSeal ? SEAL_MARK : ''}`;
  return html`<article class="product-card">
    ${appIcon({ slug, name }, 52)} ${isNested ? html`<h3>${title}</h3>` : html`<h2>${title}</h2>`}
    <p>${tagline}</p>
    <small class="muted">by ${sellerName}</small>
    <p class="terms foot-line" data-price>${priceWords(product)}</p>
  </article>`;
}

function priceWords({ prices, delivery, includedWithMember }: StoreProduct) {
  const listed = decideListedPrice(prices);
  const own = delivery === 'entitlement_api' ? listed : null;
  const elsewhere = delivery === 'entitlement_api' ? '' : 'Sold elsewhere';
  const price = own ? amountWords(own) : elsewhere;
  const included = includedWithMember ? 'Included with Member' : '';
  return html`<span>${price}</span
    >${included === '' ? '' : html`<span class="tag">${icon('key-round')}${included}</span>`}`;
}

function amountWords({ price, isLowest }: NonNullable<ReturnType<typeof decideListedPrice>>) {
  const { amountMinor, currency, kind } = price;
  const amount = html`<strong class="amount">${formatMoney(amountMinor, currency)}</strong>`;
  return html`${isLowest ? 'From ' : ''}${amount}${PER[kind]}`;
}

const PER: Record<OfferKind, string> = { one_time: '', monthly: ' / month', yearly: ' / year' };

const NAMES = { field: 'after', first: 'First products', next: 'More products' };

type Paging = {
  found: StoreList;
  after: string | null;
  path: string;
  query?: Record<string, string>;
};

export function productPaging(props: Paging) {
  const { found, after, path, query = {} } = props;
  return paging({ path, query, before: after, next: found.next, names: NAMES });
}
