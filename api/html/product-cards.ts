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
    ${products.map((each) => html`<li>${productCard(toShown(each), isNested ? 'h3' : 'h2')}</li>`)}
  </ul>`;
}

/** What a card or a row shows of a product. */
export type ShownProduct = {
  slug: string;
  name: string;
  tagline: string;
  sellerName: string;
  hasSeal: boolean;
  /** Its price, or the reason why it has none. */
  amount: HtmlSafeString | string;
  /** What the price is for: *once*, *a month*. */
  per: string;
  isIncluded: boolean;
};

export function productCard(product: ShownProduct, level: 'h2' | 'h3'): HtmlSafeString {
  const { slug, name, tagline, sellerName, amount, per, isIncluded } = product;
  const title = titleOf(product);
  return html`<article class="product-card">
    ${appIcon({ slug, name }, 52)}
    ${level === 'h3' ? html`<h3>${title}</h3>` : html`<h2>${title}</h2>`}
    <p>${tagline}</p>
    <small class="muted">by ${sellerName}</small>
    <p class="terms foot-line" data-price>
      <span>${amount} ${per}</span>
      ${isIncluded ? html`<span class="tag">${icon('key-round')}Included with Member</span>` : ''}
    </p>
  </article>`;
}

export function productRow(product: ShownProduct): HtmlSafeString {
  const { slug, name, tagline, amount, per } = product;
  return html`<div class="product-row">
    ${appIcon({ slug, name })}
    <h3>${titleOf(product)}</h3>
    <p>${tagline}</p>
    <p class="price">${amount}<span class="per">${per}</span></p>
  </div>`;
}

function titleOf({ slug, name, hasSeal }: ShownProduct): HtmlSafeString {
  return html`<a href="/p/${slug}">${name}</a> ${hasSeal ? SEAL_MARK : ''}`;
}

function toShown(product: StoreProduct): ShownProduct {
  const { prices, delivery, includedWithMember: isIncluded } = product;
  const isSoldHere = delivery === 'entitlement_api';
  const listed = isSoldHere ? decideListedPrice(prices) : null;
  const per = listed ? PER[listed.price.kind] : '';
  return {
    ...product,
    isIncluded,
    amount: listed ? amountOf(listed) : isSoldHere ? '' : 'Sold elsewhere',
    per,
  };
}

function amountOf({ price, isLowest }: NonNullable<ReturnType<typeof decideListedPrice>>) {
  const amount = html`<strong class="amount"
    >${formatMoney(price.amountMinor, price.currency)}</strong
  >`;
  return html`${isLowest ? 'From ' : ''}${amount}`;
}

const PER: Record<OfferKind, string> = { one_time: '', monthly: '/ month', yearly: '/ year' };

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
