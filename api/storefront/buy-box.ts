// The box beside a product: its price and the way to buy it, or to open it.
import { html, type HtmlSafeString } from '@prairielearn/html';
import { openAddress } from '../../domain/catalog/product-address.ts';
import type { OfferKind, ProductView } from '../../domain/catalog/product.repository.ts';
import type { OfferedPrice } from '../../domain/catalog/storefront-product.query.ts';
import type { UnfinishedPurchase } from '../../domain/billing/purchases/buyer-purchases.repository.ts';
import type { BuyReason } from '../../domain/billing/checkout/sale-requirements.ts';
import { formatMoney } from '../../domain/shared/money.ts';
import { MY_PURCHASES } from '../account/purchases/my-purchases-path.ts';
import { unfinishedCheckout } from '../account/purchases/unfinished.page.ts';
import { smallButton } from '../html/form.ts';
import { icon, type IconName } from '../html/icon.ts';
import { PER } from '../html/offer-labels.ts';
import { hostOf, openButton } from '../html/open-product.ts';
import { button } from '../html/parts/button.ts';
import { segment } from '../html/parts/choice.ts';
import { money } from '../html/parts/money.ts';
import { note } from '../html/parts/note.ts';

export type BuyBoxProps = {
  product: ProductView;
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
  isSimulated: boolean;
};

export const BUY_SENTENCES: Record<BuyReason, string> = {
  not_listed: 'This product is not for sale right now.',
  no_active_price: 'This product has no price yet.',
  no_commercial_operator: 'The maker of this product has not finished setting it up.',
  payouts_not_ready: 'The maker of this product cannot take payments yet.',
  not_sold_here: 'This product is sold elsewhere.',
  currency_not_offered: 'This product is not sold in this currency.',
  currency_unknown: 'This currency is unknown.',
  already_owned: 'You already own this product.',
  processor_unavailable: 'Payments are not available right now. Try again in a few minutes.',
};

export function buyBox(props: BuyBoxProps): HtmlSafeString {
  const { blockReason, hasAccess, isOwn } = props;
  if (hasAccess || isOwn) return html`${owned(props)} ${facts(props)}`;
  const left = props.unfinished.map((checkout) => unfinishedCheckout(checkout, props.token));
  return html`${left} ${blockReason === null ? offers(props) : unavailable(props, blockReason)}
  ${facts(props)}`;
}

/** Shows a person who has bought the product, or may use it, how to open it, and no offer. */
function owned({ product, hasAccess, isOwn, memberToken }: BuyBoxProps): HtmlSafeString {
  const { slug, name } = product;
  const openUrl = openAddress(product);
  const action = `/member/open/${slug}`;
  return html`<p class="yours">
      ${icon('circle-check', 18)}
      <strong>${isOwn ? BUY_SENTENCES.already_owned : 'You have access to this product.'}</strong>
    </p>
    ${
      !hasAccess
        ? ''
        : memberToken === null || isOwn
          ? openButton({ name, openUrl })
          : smallButton({ action, token: memberToken, button: 'Open with Member', isMain: true })
    }
    <div class="actions">
      ${button({ text: 'Library', href: '/library', size: 'small' })}
      ${button({ text: 'Purchases', href: MY_PURCHASES, size: 'small' })}
    </div>`;
}

const DRAFT = 'Buyers see the price here once the product is listed.';

/** A product that is not sold here has this reason alone. */
function unavailable(
  { product: { state, delivery, websiteUrl }, reason }: BuyBoxProps,
  blockReason: BuyReason,
): HtmlSafeString | '' {
  if (state === 'removed') return '';
  if (state === 'draft') return note({ tone: 'plain', more: DRAFT });
  const isElsewhere = blockReason !== 'not_listed' && delivery !== 'entitlement_api';
  const shown = isElsewhere ? 'not_sold_here' : blockReason;
  return html`${shown === reason ? '' : note({ tone: 'plain', sentence: BUY_SENTENCES[shown] })}
  ${
    isElsewhere && websiteUrl !== null
      ? button({
          text: `Go to ${hostOf(websiteUrl)}`,
          href: websiteUrl,
          kind: 'primary',
          size: 'large',
          isExternal: true,
        })
      : ''
  }`;
}

/** One currency is shown at a time: which one, the style sheet reads from the choice. */
function offers({ product, prices }: BuyBoxProps): HtmlSafeString {
  const currencies = [...new Set(prices.map(({ currency }) => currency))];
  const byOffer = Map.groupBy(prices, ({ offerId }) => offerId);
  return html`${
    currencies.length === 1
      ? ''
      : segment({
          legend: 'Currency',
          name: 'currency',
          options: currencies.map((currency) => ({ value: currency, label: currency })),
          value: currencies[0]!,
        })
  }
  ${[...byOffer.values()].map((each, index) =>
    offer(product.slug, { prices: each, currencies, isFirst: index === 0 }),
  )}`;
}

type Offer = { prices: OfferedPrice[]; currencies: string[]; isFirst: boolean };

function offer(slug: string, { prices, currencies, isFirst }: Offer): HtmlSafeString {
  const { offerId, kind } = prices[0]!;
  return html`<section
    class="offer"
    aria-label="${isFirst ? 'Offer' : 'Another offer'}"
    data-offer="${offerId}"
  >
    ${prices.map((price) => {
      const place = currencies.indexOf(price.currency) + 1;
      return html`<div class="in c${place}" data-currency="${price.currency}">
        <p class="price">${money(price.amountMinor, price.currency)} <span>${perOf(kind)}</span></p>
        <p class="hint">${TERMS[kind]}</p>
        ${buyButton(slug, price)}
      </div>`;
    })}
  </section>`;
}

const TERMS: Record<OfferKind, string> = {
  one_time: 'One payment. No renewal.',
  monthly: 'Renews every month. Cancel anytime.',
  yearly: 'Renews every year. Cancel anytime.',
};

/** A single payment needs no word for its period. */
const perOf = (kind: OfferKind) => (kind === 'one_time' ? '' : PER[kind]);

function buyButton(slug: string, price: OfferedPrice): HtmlSafeString {
  const { kind, amountMinor, currency, isBase, isDefaultOffer, offerId } = price;
  const verb = kind === 'one_time' ? 'Buy for' : 'Subscribe for';
  const query = new URLSearchParams({ src: 'store' });
  if (!isDefaultOffer) query.set('offer', offerId);
  if (!isBase) query.set('currency', currency);
  return button({
    text: `${verb} ${formatMoney(amountMinor, currency)} ${perOf(kind)}`.trim(),
    kind: isDefaultOffer ? 'primary' : 'secondary',
    size: 'large',
    href: `/buy/${slug}?${query.toString()}`,
    mark: html`rel="nofollow"`,
  });
}

/** What is known before one buys: each line only where it is so. */
function facts({ product, blockReason, isSimulated }: BuyBoxProps): HtmlSafeString {
  const lines = [
    product.refundTerms === null
      ? ''
      : fact('rotate-cw', html`<a href="#refund-terms">Refund terms</a>`),
    opensAt(product),
    isSimulated && blockReason === null
      ? fact('flask-conical', 'Payments are simulated here. No card is charged.')
      : '',
  ].filter((line) => line !== '');
  const { websiteUrl } = product;
  if (websiteUrl !== null)
    lines.push(fact('arrow-up-right', html`<a href="${websiteUrl}">Website</a>`));
  return html`${
    lines.length === 0
      ? ''
      : html`<ul class="facts-list">
          ${lines}
        </ul>`
  }`;
}

function opensAt(product: ProductView): HtmlSafeString | '' {
  const address = openAddress(product);
  return address === null ? '' : fact('key-round', `Opens at ${hostOf(address)}`);
}

function fact(name: IconName, words: HtmlSafeString | string): HtmlSafeString {
  return html`<li>${icon(name)}<span>${words}</span></li>`;
}
