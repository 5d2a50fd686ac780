import { html, type HtmlSafeString } from '@prairielearn/html';
import { openAddress } from '../../domain/catalog/product-address.ts';
import type { OfferKind, ProductView } from '../../domain/catalog/product.repository.ts';
import type { OfferedPrice } from '../../domain/catalog/storefront-product.query.ts';
import { formatMoney } from '../../domain/shared/money.ts';
import type { UnfinishedPurchase } from '../../domain/billing/purchases/buyer-purchases.repository.ts';
import type { BuyReason } from '../../domain/billing/checkout/sale-requirements.ts';
import { MY_PURCHASES } from '../account/purchases/my-purchases-path.ts';
import type { View } from '../http/route.ts';
import { appIcon } from '../html/emblems.ts';
import { smallButton } from '../html/form.ts';
import { unfinishedCheckout } from '../account/purchases/unfinished.page.ts';
import { openButton } from '../html/open-product.ts';
import { SEAL_SENTENCE } from '../html/seal-mark.ts';

type Props = {
  product: ProductView;
  /** The product holds the quality seal. */
  hasSeal: boolean;
  /** The default offer first, and in each offer the base price first. */
  prices: OfferedPrice[];
  /** The reason why the product cannot be bought now. */
  blockReason: BuyReason | null;
  /** Why the buy link has led here. */
  reason: BuyReason | null;
  /** The reader has bought it, or a payment is clearing. */
  isOwn: boolean;
  /** The reader may use it now, whatever it is through. */
  hasAccess: boolean;
  /** The form with which a Member first opens the product; null for everyone else. */
  memberToken: string | null;
  /** Checkouts of the product that the reader has left behind. */
  unfinished: UnfinishedPurchase[];
  token: string;
  /** The reader may edit the listing. */
  canEdit: boolean;
};

const HIDDEN: Partial<Record<ProductView['state'], string>> = {
  draft: 'This product is a draft. Only you and your team can see it.',
  removed: 'This product was removed. Only you and your team can see it.',
};

export function productPage(props: Props): View {
  const { product, reason } = props;
  const { name, tagline, sellerName, includedWithMember, state } = product;
  const hidden = HIDDEN[state];
  return {
    title: name,
    description: tagline,
    content: html`
      <article class="product">
        <div>
          ${appIcon(product, 92)}
          <hgroup>
            <h1>${name}</h1>
            <p>${tagline}</p>
          </hgroup>
          <p class="muted">by ${sellerName}</p>
          ${props.canEdit ? html`<p><a href="/console/products/${product.slug}/listing">Edit</a></p>` : ''}
          ${props.hasSeal ? SEAL_SENTENCE : ''}
          ${hidden === undefined ? '' : html`<p class="notice" role="status">${hidden}</p>`}
          ${reason === null ? '' : explain(reason)} ${includedWithMember ? INCLUDED : ''}
        </div>
        <div class="buy-box">${sale(props)}</div>
      </article>
    `,
  };
}

const INCLUDED = html`<p>Included with <a href="/member">Member</a>.</p>`;

function sale(props: Props) {
  const { product, prices, blockReason, reason } = props;
  if (props.hasAccess) return accessible(props);
  if (props.isOwn) return owned(reason);
  const left = props.unfinished.map((checkout) => unfinishedCheckout(checkout, props.token));
  const forSale =
    blockReason === null
      ? html`${offers(product, prices)} ${refundTerms(product)}`
      : unavailable(product, { blockReason, reason });
  return html`${left} ${forSale}`;
}

function refundTerms({ refundTerms: terms }: ProductView): HtmlSafeString | '' {
  if (terms === null) return '';
  return html`<section data-refund-terms>
    <h2>Refund terms</h2>
    <p class="typed">${terms}</p>
  </section>`;
}

/** Shows a person who may use the product how to open it, and no offer to buy it. */
function accessible({ product, isOwn, reason, memberToken: token }: Props): HtmlSafeString {
  const { slug, name } = product;
  const action = `/member/open/${slug}`;
  const openUrl = openAddress(product);
  const words = isOwn ? BUY_SENTENCES.already_owned : 'You have access to this product.';
  return html`${reason === 'already_owned' ? '' : html`<p>${words}</p>`}
  ${
    token === null || isOwn
      ? openButton({ name, openUrl })
      : smallButton({ action, token, button: 'Open with Member', isMain: true })
  }
  ${LINKS}`;
}

function owned(reason: BuyReason | null): HtmlSafeString {
  return html`${reason === 'already_owned' ? '' : html`<p>${BUY_SENTENCES.already_owned}</p>`}
  ${LINKS}`;
}

const LINKS = html`<ul class="links">
  <li><a href="/library">Library</a></li>
  <li><a href="${MY_PURCHASES}">Purchases</a></li>
</ul>`;

export const BUY_SENTENCES: Record<BuyReason, string> = {
  not_listed: 'This product is not for sale right now.',
  no_active_price: 'This product has no price yet.',
  no_commercial_operator: 'The seller of this product has not finished setting it up.',
  payouts_not_ready: 'The seller of this product cannot take payments yet.',
  not_sold_here: 'This product is sold elsewhere.',
  currency_not_offered: 'This product is not sold in this currency.',
  currency_unknown: 'This currency is unknown.',
  already_owned: 'You already own this product.',
  processor_unavailable: 'Payments are not available right now. Try again in a few minutes.',
};

function explain(reason: BuyReason): HtmlSafeString {
  return html`<p class="notice" role="status" data-reason="${reason}">${BUY_SENTENCES[reason]}</p>`;
}

/** A product that is not sold here has this reason alone. */
function unavailable(
  { state, delivery }: ProductView,
  { blockReason, reason }: { blockReason: BuyReason; reason: BuyReason | null },
): HtmlSafeString | '' {
  if (blockReason === reason || state === 'draft' || state === 'removed') return '';
  const isElsewhere = blockReason !== 'not_listed' && delivery !== 'entitlement_api';
  return html`<p class="notice">${BUY_SENTENCES[isElsewhere ? 'not_sold_here' : blockReason]}</p>`;
}

function offers({ slug }: ProductView, prices: OfferedPrice[]): HtmlSafeString[] {
  const byOffer = Map.groupBy(prices, ({ offerId }) => offerId);
  return [...byOffer.values()].map((each, index) => offer(slug, { prices: each, index }));
}

function offer(slug: string, { prices, index }: { prices: OfferedPrice[]; index: number }) {
  const label = index === 0 ? 'Offer' : 'Another offer';
  return html`<section class="offer" aria-label="${label}" data-offer="${prices[0]!.offerId}">
    <p class="muted">${TERMS[prices[0]!.kind]}</p>
    <ul class="buttons">
      ${prices.map((price) => html`<li>${buyButton(slug, price)}</li>`)}
    </ul>
  </section>`;
}

const TERMS: Record<OfferKind, string> = {
  one_time: 'One payment. No renewal.',
  monthly: 'Renews every month. Cancel anytime.',
  yearly: 'Renews every year. Cancel anytime.',
};

const BUTTONS: Record<OfferKind, { verb: string; per: string }> = {
  one_time: { verb: 'Buy for', per: '' },
  monthly: { verb: 'Subscribe for', per: ' a month' },
  yearly: { verb: 'Subscribe for', per: ' a year' },
};

function buyButton(slug: string, price: OfferedPrice): HtmlSafeString {
  const { amountMinor, currency, isBase, isDefaultOffer, offerId } = price;
  const { verb, per } = BUTTONS[price.kind];
  const query = new URLSearchParams({ src: 'store' });
  if (!isDefaultOffer) query.set('offer', offerId);
  if (!isBase) query.set('currency', currency);
  return html`<a
    role="button"
    class="${isBase ? '' : 'secondary outline'}"
    href="/buy/${slug}?${query.toString()}"
    rel="nofollow"
    data-currency="${currency}"
    >${verb} <span class="amount">${formatMoney(amountMinor, currency)}</span>${per}</a
  >`;
}
