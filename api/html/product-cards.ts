// Products of the store as cards, page by page.
import { html, type HtmlSafeString } from '@prairielearn/html';
import type { StoreList, StoreProduct } from '../../domain/catalog/storefront-list.repository.ts';
import type { Category } from '../../domain/catalog/listing-words.ts';
import { decideListedPrice } from '../../domain/catalog/prices/listed-price.ts';
import { appIcon, type IconProduct } from './emblems.ts';
import { imagePath } from './image-path.ts';
import { emptyState } from './parts/empty-state.ts';
import { CATEGORY_WORDS } from './listing-labels.ts';
import { PER } from './offer-labels.ts';
import { money } from './parts/money.ts';
import { pill, tag } from './parts/pill.ts';
import { SEAL_MARK } from './seal-mark.ts';
import { paging } from './parts/paging.ts';

/** What a card says of a product. */
export type CardProduct = Omit<StoreProduct, 'category' | 'screenshotHash' | 'sealCounts'>;

type Cards = {
  products: readonly CardProduct[];
  /** The sentence in place of no products. */
  empty: string;
  /** The list stands below a heading of its own. */
  isNested?: boolean;
};

export function productCards(props: Cards): HtmlSafeString {
  const { products, empty, isNested = false } = props;
  if (products.length === 0) return emptyState({ sentence: empty });
  return html`<ul class="cards">
    ${products.map((each) => html`<li>${productCard(toShown(each), isNested ? 'h3' : 'h2')}</li>`)}
  </ul>`;
}

/** Products as rows of a card. */
export function productRows(products: readonly StoreProduct[]): HtmlSafeString {
  return html`<div class="card">${products.map((each) => productRow(toShown(each)))}</div>`;
}

/** Products by their first screenshots, the first of them large. */
export function productPictures(products: readonly StoreProduct[]): HtmlSafeString {
  return html`<div class="pictured">
    ${products.map(
      (each) =>
        html`<article class="card">${pictureOf(each)} ${productRow(toShown(each))}</article>`,
    )}
  </div>`;
}

function pictureOf({ screenshotHash: hash, ...product }: StoreProduct): HtmlSafeString {
  if (hash === null) return html`<div class="no-picture">${appIcon(product, 92)}</div>`;
  const sizes = html`${imagePath(hash, 640)} 640w, ${imagePath(hash, 1600)} 1600w`;
  return html`<img
    src="${imagePath(hash, 640)}"
    srcset="${sizes}"
    sizes="(max-width: 960px) 90vw, 700px"
    alt=""
  />`;
}

type SearchResults = {
  products: readonly StoreProduct[];
  similar?: readonly StoreProduct[];
  search?: string;
};

/** Products that were searched for: each row names its maker, and marks the words in the tagline. */
export function foundRows({ products, similar = [], search = '' }: SearchResults): HtmlSafeString {
  const rows = [...products, ...similar].map((each, place) => ({
    ...toShown(each),
    tagline: markWords(each.tagline, search),
    isFound: true,
    isSimilar: place >= products.length,
  }));
  return html`<div class="card">${rows.map(productRow)}</div>`;
}

function markWords(text: string, search: string): HtmlSafeString {
  const words = search.split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) return html`${text}`;
  const pattern = words.map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|');
  const parts = text.split(new RegExp(`(${pattern})`, 'iu'));
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<mark>${part}</mark>` : part))}`;
}

/** What a card or a row shows of a product. */
export type ShownProduct = IconProduct & {
  tagline: HtmlSafeString | string;
  sellerName: string;
  hasSeal: boolean;
  /** Its price; empty where there is none. */
  amount: HtmlSafeString | string;
  /** What the price is for, *once* or *a month*, or the reason why there is none. */
  per: string;
  isIncluded: boolean;
  /** Stands in a list that was searched: the row names its maker too. */
  isFound?: boolean;
  category?: Category | null;
  /** Its name alone is nearly what was searched for. */
  isSimilar?: boolean;
};

export function productCard(product: ShownProduct, level: 'h2' | 'h3'): HtmlSafeString {
  const { tagline, amount, per, isIncluded } = product;
  const title = titleOf(product);
  return html`<article class="product-card">
    ${appIcon(product, 52)} ${level === 'h3' ? html`<h3>${title}</h3>` : html`<h2>${title}</h2>`}
    <p>${tagline}</p>
    <p class="foot-line" data-price>
      <span>${amount} ${per}</span> ${isIncluded ? tag('key-round', 'Member') : ''}
    </p>
  </article>`;
}

export function productRow(product: ShownProduct): HtmlSafeString {
  const { tagline, sellerName, amount, per, isIncluded, isFound = false } = product;
  const title = titleOf(product);
  return html`<div class="product-row ${isFound ? 'found' : ''}">
    ${appIcon(product, isFound ? 60 : 48)}
    ${isFound ? html`<h2>${title}</h2>` : html`<h3>${title}</h3>`}
    <p>${tagline}</p>
    ${
      isFound
        ? html`<p class="by">
            ${sellerName}
            ${product.category ? html`<span>${CATEGORY_WORDS[product.category]}</span>` : ''}
            ${isIncluded ? tag('key-round', 'Member') : ''}
            ${product.isSimilar ? pill({ word: 'Similar', tone: 'line' }) : ''}
          </p>`
        : ''
    }
    <div class="price" data-price>${amount}<span class="per">${per}</span></div>
  </div>`;
}

function titleOf({ slug, name, hasSeal }: ShownProduct): HtmlSafeString {
  return html`<a href="/p/${slug}">${name}</a> ${hasSeal ? SEAL_MARK : ''}`;
}

function toShown(product: CardProduct & Pick<ShownProduct, 'category'>): ShownProduct {
  const { prices, delivery, includedWithMember: isIncluded } = product;
  const isSoldHere = delivery === 'entitlement_api';
  const listed = isSoldHere ? decideListedPrice(prices) : null;
  const per = listed ? PER[listed.price.kind] : isSoldHere ? '' : 'Sold elsewhere';
  return { ...product, isIncluded, amount: listed ? amountOf(listed) : '', per };
}

function amountOf({ price, isLowest }: NonNullable<ReturnType<typeof decideListedPrice>>) {
  return html`${isLowest ? 'From ' : ''}${money(price.amountMinor, price.currency)}`;
}

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
