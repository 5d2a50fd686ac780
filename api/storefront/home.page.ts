import { html, type HtmlSafeString } from '@prairielearn/html';
import { CATEGORIES } from '../../domain/catalog/listing-words.ts';
import type { ShelfKind } from '../../domain/catalog/search/shelves.repository.ts';
import type { StoreProduct } from '../../domain/catalog/storefront-list.repository.ts';
import type { MemberPriceView } from '../../domain/billing/memberships/member-price.repository.ts';
import { appIcon, gatehouse } from '../html/emblems.ts';
import { searchForm } from '../html/header.ts';
import { icon } from '../html/icon.ts';
import { CATEGORY_WORDS } from '../html/listing-labels.ts';
import { features, type Feature } from '../html/parts/features.ts';
import { button } from '../html/parts/button.ts';
import { money } from '../html/parts/money.ts';
import { productCards, productPictures, productRows } from '../html/product-cards.ts';
import { rendered } from '../html/rendered.ts';
import { writeReturning } from '../html/seal-mark.ts';
import type { View } from '../http/route.ts';
import { categoryPath, SEARCH } from './search-request.ts';

/** A shelf with its products as they are now. */
type ShownShelf = { kind: ShelfKind; products: StoreProduct[] };

type Props = {
  shelves: ShownShelf[];
  /** The monthly price of Member; null where none is sold. */
  memberPrice: MemberPriceView | null;
};

/** The first page of the store says what it is, and shows what is on its shelves. */
export function homePage({ shelves, memberPrice }: Props): View {
  const all = shelves.flatMap(({ products }) => products);
  const products = [...new Map(all.map((product) => [product.id, product])).values()];
  const member = memberPanel(products, memberPrice);
  return {
    title: 'Store',
    section: 'store',
    description: 'Good software, from the people who make it.',
    canonical: '/',
    content: html`${hero(products)} ${CHIPS}
    ${
      products.length < FEWEST_IN_LISTS
        ? html`${cards({ title: 'In the store', products })} ${member}`
        : shownShelves(shelves, member)
    }
    ${FOR_MAKERS}`,
  };
}

const FEWEST_IN_LISTS = 8;

function shownShelves(shelves: ShownShelf[], member: HtmlSafeString): HtmlSafeString {
  const productsOf = (type: ShelfKind['type']) =>
    shelves.find(({ kind }) => kind.type === type)?.products ?? [];
  const returning = productsOf('sealed').map(withReturning);
  const chosen = shelves.filter(({ kind }) => kind.type === 'chosen');
  const others = shelves.filter(({ kind }) => !['chosen', 'new', 'sealed'].includes(kind.type));
  return html`${chosen.map((each, index) => (index === 0 ? featured(each) : shelf(each)))}
    <div class="columns-2">
      ${list({ title: 'New', products: productsOf('new'), more: ALL })}
      ${list({ title: 'People come back', products: returning, more: ALL_SEALED })}
    </div>
    ${member} ${others.map(shelf)}`;
}

/** What an operator has chosen first: three products by their pictures, and cards of the others. */
function featured({ kind, products }: ShownShelf): HtmlSafeString {
  const title = kind.type === 'chosen' ? kind.title : '';
  const [pictured, others] = [products.slice(0, PICTURED), products.slice(PICTURED)];
  if (pictured.length === 0) return html``;
  return html`<section>
    ${heading(title, html`<p>Chosen by the people who run Gatehouse</p>`)}
    ${productPictures(pictured)}
    ${others.length === 0 ? '' : productCards({ products: others, empty: '', isNested: true })}
  </section>`;
}

const PICTURED = 3;

function shelf({ kind, products }: ShownShelf): HtmlSafeString {
  if (kind.type === 'included') {
    const more = html`<a href="/member">All included</a>`;
    return cards({ title: 'Included with Member', products, more });
  }
  if (kind.type === 'chosen') return cards({ title: kind.title, products });
  if (kind.type !== 'category') return cards({ title: 'Popular', products, more: ALL });
  const title = CATEGORY_WORDS[kind.category];
  const more = html`<a href="${categoryPath(kind.category)}">All in ${title}</a>`;
  return cards({ title, products, more });
}

const CHIPS = rendered(
  html`<nav class="buttons" aria-label="Categories">
    <a class="button small" href="${SEARCH}">All</a>
    ${CATEGORIES.map(
      (each) =>
        html`<a class="button small" href="${categoryPath(each)}">${CATEGORY_WORDS[each]}</a>`,
    )}
  </nav>`,
);

const ALL = html`<a href="${SEARCH}">All products</a>`;
const ALL_SEALED = html`<a href="${SEARCH}?sealed=1">All with the seal</a>`;

function hero(products: StoreProduct[]): HtmlSafeString {
  return html`<div class="hero">
    <div>
      <h1>Good software, from the people who make it.</h1>
      <p>
        Buy it once, or by the month. One account opens everything you own, and one Member
        subscription opens every included product.
      </p>
      ${searchForm()}
    </div>
    ${gatehouse(products)}
  </div>`;
}

type List = { title: string; products: StoreProduct[]; more?: HtmlSafeString };

function list({ title, products, more }: List): HtmlSafeString | '' {
  if (products.length === 0) return '';
  return html`<section>${heading(title, more)} ${productRows(products)}</section>`;
}

/** What the seal measured says more of a product than its line does. */
function withReturning(product: StoreProduct): StoreProduct {
  const share = writeReturning(product.sealCounts ?? []);
  return share === null ? product : { ...product, tagline: `${share} came back in another week` };
}

function cards({ title, more, ...shown }: List) {
  return html`<section>
    ${heading(title, more)}
    ${productCards({ ...shown, empty: 'Nothing is for sale yet.', isNested: true })}
  </section>`;
}

function heading(title: string, more: HtmlSafeString | '' = ''): HtmlSafeString {
  return html`<div class="section-head">
    <h2>${title}</h2>
    ${more}
  </div>`;
}

const SHOWN_ICONS = 8;

function memberPanel(products: StoreProduct[], price: MemberPriceView | null) {
  const included = products.filter((each) => each.includedWithMember).slice(0, SHOWN_ICONS);
  return html`<section class="member-panel">
    <div>
      <p class="eyebrow">${icon('key-round')}Member</p>
      <h2>One subscription, every included product</h2>
      <p>
        Open any of them with your account. A part of your fee goes to the makers of what you use.
      </p>
      <div class="buttons">
        <a class="button" href="/member">See what is included</a>
        ${
          price === null
            ? ''
            : html`<p>From ${money(price.amountMinor, price.currency)} a month</p>`
        }
      </div>
    </div>
    <div class="icons" aria-hidden="true">${included.map((each) => appIcon(each, 60))}</div>
  </section>`;
}

const MAKER_STEPS: Feature[] = [
  ['download', 'Publish your listing', 'A name, a line and a price. You choose when it is listed.'],
  ['code', 'Ask one question', 'Your server asks whether a person may use the product.'],
  ['coins', 'Get paid', 'Your share of each sale goes to your own payout account.'],
];

const FOR_MAKERS = rendered(
  html`<section class="sell-panel">
    <div>
      <h2>Sell what you make</h2>
      <p>Gatehouse takes the payment, tells your product who may use it, and pays you out.</p>
      <div class="buttons">
        ${button({ text: 'Start selling', href: '/console' })}
        ${button({ text: 'Read the guide', href: '/docs/new-builder', kind: 'quiet' })}
      </div>
    </div>
    ${features(MAKER_STEPS)}
  </section>`,
);
