import { html, type HtmlSafeString } from '@prairielearn/html';
import type { Screenshot } from '../../domain/catalog/pictures/picture.ts';
import type { ProductView } from '../../domain/catalog/product.repository.ts';
import type {
  SealCount,
  ShownListing,
  ShownRelease,
} from '../../domain/catalog/storefront-product.query.ts';
import type { BuyReason } from '../../domain/billing/checkout/sale-requirements.ts';
import { appIcon, seal, type IconProduct } from '../html/emblems.ts';
import { trail } from '../html/parts/page-head.ts';
import { CATEGORY_WORDS } from '../html/listing-labels.ts';
import { writePercent, writeCount } from '../html/numbers.ts';
import { avatar } from '../html/parts/avatar.ts';
import { icon } from '../html/icon.ts';
import { features, type Feature } from '../html/parts/features.ts';
import { button } from '../html/parts/button.ts';
import { figures, type Figure } from '../html/parts/figures.ts';
import { note } from '../html/parts/note.ts';
import { pill, tag } from '../html/parts/pill.ts';
import { productCards, type CardProduct } from '../html/product-cards.ts';
import { SEAL_GUIDE, SEAL_MARK, writeReturning } from '../html/seal-mark.ts';
import type { View } from '../http/route.ts';
import { description, details, releaseList } from './listing-part.ts';
import { BUY_SENTENCES, buyBox, type BuyBoxProps } from './buy-box.ts';
import { gallery } from './gallery.ts';
import { categoryPath } from './search-request.ts';

type Props = BuyBoxProps & {
  /** The product holds the quality seal. */
  hasSeal: boolean;
  /** What the latest passed review of the seal counted. */
  sealCounts: SealCount[] | null;
  /** Other products of the maker. */
  siblings: IconProduct[];
  /** Is null for a product that was never described. */
  listing: ShownListing | null;
  /** The latest releases, the latest first. */
  releases: ShownRelease[];
  screenshots: Screenshot[];
  /** The reader may edit the listing. */
  canEdit: boolean;
  /** Other products of the category, the most popular first. */
  others: CardProduct[];
  /** The page of the maker; null where nothing of the maker is listed. */
  makerPath: string | null;
};

const HIDDEN: Partial<Record<ProductView['state'], string>> = {
  draft: 'This product is a draft. Only you and your team can see it.',
  removed: 'This product was removed. Only you and your team can see it.',
};

export function productPage(props: Props): View {
  const { product, listing, releases, reason, blockReason, isOwn, sealCounts } = props;
  const hidden = HIDDEN[product.state];
  return {
    title: product.name,
    description: product.tagline,
    content: html`
      <div class="product">
        <div>
          ${path(listing)} ${head(props)}
          ${hidden === undefined ? '' : note({ tone: 'info', sentence: hidden })}
          ${reason === null ? '' : explain(reason)} ${gallery(props)}
        </div>
        <aside class="buy-box one-currency" aria-label="Buy">${buyBox(props)}</aside>
        <div class="more">
          ${description(listing)} ${blockReason === null || isOwn ? HOW_IT_WORKS : ''}
          ${sealCounts === null ? '' : sealFigures(sealCounts)} ${releaseList(releases)}
          ${details(listing)} ${refundTerms(product)} ${maker(props)}
        </div>
      </div>
      ${moreOfCategory(props)}
    `,
  };
}

function path(listing: ShownListing | null): HtmlSafeString {
  const category = listing?.category ?? null;
  const store = { path: '/', label: 'Store' };
  if (category === null) return trail([store]);
  return trail([store, { path: categoryPath(category), label: CATEGORY_WORDS[category] }]);
}

function head({ product, hasSeal, canEdit, makerPath }: Props): HtmlSafeString {
  const { name, tagline, sellerName, includedWithMember, slug } = product;
  return html`<header class="product-head">
    ${appIcon(product, 92)}
    <div>
      <h1>${name}</h1>
      <p class="tagline">${tagline}</p>
      <p class="by">
        <span
          >By
          ${makerPath === null ? sellerName : html`<a href="${makerPath}">${sellerName}</a>`}</span
        >
        ${hasSeal ? pill({ tone: 'ok', word: 'Quality seal', mark: SEAL_MARK }) : ''}
        ${includedWithMember ? INCLUDED : ''}
        ${canEdit ? button({ text: 'Edit', size: 'small', href: `/console/products/${slug}/listing` }) : ''}
      </p>
    </div>
  </header>`;
}

const INCLUDED = html`<a href="/member"
  >${pill({ tone: 'line', word: 'Included with Member', mark: icon('key-round') })}</a
>`;

function explain(reason: BuyReason): HtmlSafeString {
  return html`<div data-reason="${reason}">
    ${note({ tone: 'warn', sentence: BUY_SENTENCES[reason] })}
  </div>`;
}

const STEPS: Feature[] = [
  ['circle-check', 'Access begins at once', 'The product knows as soon as the payment clears.'],
  ['library', 'It appears in your library', 'You find it there, with its receipts and renewals.'],
  ['lock', 'Your card stays private', 'The maker sees your name and handle, never your card.'],
];

const HOW_IT_WORKS = html`<section>
  <h2>When you buy here</h2>
  ${features(STEPS, 'three')}
</section>`;

function sealFigures(counts: SealCount[]): HtmlSafeString {
  const find = (name: string) => counts.find((each) => each.name === name);
  const [people, refunds] = ['people', 'refunds'].map(find);
  const back = writeReturning(counts);
  const shown: Figure[] = [];
  if (people) shown.push({ value: writeCount(people.count), name: 'people used it' });
  if (back !== null) shown.push({ value: back, name: 'came back in another week' });
  if (refunds?.of)
    shown.push({
      value: writePercent(refunds.count, refunds.of),
      name: 'of charges were refunded',
    });
  return html`<section class="why-seal">
    ${seal('large')}
    <div>
      <h2>Why it has the quality seal</h2>
      <p>
        Measured over 90 days, reviewed every week. Nobody can buy it.
        <a href="${SEAL_GUIDE}">What the seal means</a>
      </p>
    </div>
    ${shown.length === 0 ? '' : figures(shown)}
  </section>`;
}

function refundTerms({ refundTerms: terms }: ProductView): HtmlSafeString | '' {
  if (terms === null) return '';
  return html`<section id="refund-terms" data-refund-terms>
    <h2>Refund terms</h2>
    <p class="typed">${terms}</p>
  </section>`;
}

function maker({ product, siblings, makerPath }: Props): HtmlSafeString {
  const { sellerName, hasCommercialOperator } = product;
  return html`<section class="card maker">
    ${avatar(sellerName, 'large')}
    <div>
      <h2>${sellerName}</h2>
      ${hasCommercialOperator ? tag('badge-check', 'Verified maker') : ''}
      ${
        siblings.length === 0
          ? ''
          : html`<ul>
              ${siblings.map(
                (each) =>
                  html`<li><a href="/p/${each.slug}">${appIcon(each, 24)}${each.name}</a></li>`,
              )}
            </ul>`
      }
      ${makerPath === null ? '' : html`<p><a href="${makerPath}">All by ${sellerName}</a></p>`}
    </div>
  </section>`;
}

function moreOfCategory({ listing, others }: Props): HtmlSafeString | '' {
  const category = listing?.category ?? null;
  if (category === null || others.length === 0) return '';
  const name = CATEGORY_WORDS[category];
  return html`<section>
    <div class="section-head">
      <h2>More in ${name}</h2>
      <a href="${categoryPath(category)}">All in ${name}</a>
    </div>
    ${productCards({ products: others, empty: '', isNested: true })}
  </section>`;
}
