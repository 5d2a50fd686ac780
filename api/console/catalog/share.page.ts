import { html, type HtmlSafeString } from '@prairielearn/html';
import { normaliseCampaign } from '../../../domain/billing/checkout/attribution.ts';
import { decideReturnTo, LONGEST_RETURN_ADDRESS } from '../../../domain/catalog/product-address.ts';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import type { PriceVersion } from '../../../domain/catalog/prices/price-list.repository.ts';
import { formatMoney } from '../../../domain/shared/money.ts';
import { BADGE_SIZE } from '../../html/badge-drawings.ts';
import type { View } from '../../http/route.ts';
import { copyable } from '../../html/copy.ts';
import { emptyState } from '../../html/parts/empty-state.ts';
import { OFFER_WORDS } from '../../html/offer-labels.ts';
import { button } from '../../html/parts/button.ts';
import { card } from '../../html/parts/card.ts';
import { money } from '../../html/parts/money.ts';
import { note } from '../../html/parts/note.ts';
import { pill } from '../../html/parts/pill.ts';
import { factList, type Fact } from '../../html/parts/facts.ts';
import { productFrame, productPath } from '../console-frame.ts';

type Props = {
  product: ManagedProduct;
  /** Current prices: the default offer and the base price first. */
  prices: PriceVersion[];
  /** The place of the links, as the reader typed it. */
  src: string;
  /** The address that the buyer goes to afterwards, as the reader typed it. */
  returnTo: string;
  /** The product's registered origins. */
  origins: ReadonlySet<string>;
  baseUrl: string;
};

export const LONGEST_SRC = 100;

export function sharePage(props: Props): View {
  const { product } = props;
  return {
    title: `Share ${product.name}`,
    hasCopyButtons: true,
    ...productFrame(product, '/share', 'Share'),
    content: html`
      ${
        product.state === 'listed'
          ? ''
          : note({
              tone: 'warn',
              sentence: 'Not listed.',
              more: 'Buy links and badge work once the product is listed.',
              actions: button({
                text: 'List product',
                size: 'small',
                href: `${productPath(product.slug)}/selling#state`,
              }),
            })
      }
      <div class="stack">
        ${buyLinks(props)} ${badge(props)}
        ${card({ title: 'Addresses and ids', body: factList(addresses(props)) })}
      </div>
    `,
  };
}

function buyLinks(props: Props): HtmlSafeString {
  const { product, prices } = props;
  if (product.delivery !== 'entitlement_api') {
    const sold = html`<p class="muted">This product is sold elsewhere, so it has no buy links.</p>`;
    return card({ title: 'Buy links', body: sold });
  }
  if (prices.length === 0) {
    const path = `${productPath(product.slug)}/prices`;
    const sentence = 'A buy link opens the checkout of a price.';
    return emptyState({ title: 'No prices yet', sentence, link: { path, label: 'Set a price' } });
  }
  const byOffer = Map.groupBy(prices, ({ offerId }) => offerId);
  return html`${[...byOffer.values()].map((each) => offerLinks(props, each))}
  ${card({
    title: 'Add where the link stands',
    body: html`<p>
        With a source, such as newsletter-may, each purchase says where the buyer came from. With a
        return address, the thank-you page leads back to your site.
      </p>
      ${linkForm(props)}`,
  })}`;
}

function linkForm(props: Props): HtmlSafeString {
  const { product, src, returnTo } = props;
  const problem = returnProblem(props);
  return html`<form class="search" method="get" action="${productPath(product.slug)}/share">
      <label>
        Source
        <input name="src" value="${src}" maxlength="${LONGEST_SRC}" autocomplete="off" />
      </label>
      <label>
        Return address
        <input
          name="return_to"
          value="${returnTo}"
          maxlength="${LONGEST_RETURN_ADDRESS}"
          autocomplete="off"
          placeholder="https://"
          ${problem === null ? '' : html`aria-invalid="true"`}
          aria-describedby="return-to"
        />
      </label>
      ${button({ text: 'Build links' })}
    </form>
    <p
      id="return-to"
      ${problem === null ? html`class="muted"` : html`class="problem" role="alert"`}
      data-return
    >
      ${problem ?? ''} ${registered(props)}
    </p>
    ${src === '' ? '' : html`<p data-campaign>${countedAs(src)}</p>`}`;
}

function countedAs(src: string): HtmlSafeString {
  const campaign = normaliseCampaign(src);
  if (campaign !== null) return html`Counted as <code class="id">${campaign}</code>.`;
  return html`Each purchase shows <code class="id">${src}</code> as it is. A source in the letters a
    to z or digits gets a campaign name too.`;
}

const returnOf = ({ returnTo, origins }: Pick<Props, 'returnTo' | 'origins'>) =>
  returnTo === '' ? null : decideReturnTo(returnTo, origins);

/** Why the links go without the address. */
function returnProblem(props: Props): string | null {
  if (props.returnTo === '' || returnOf(props) !== null) return null;
  return "The links below leave the return address out: it is not within the product's registered origins.";
}

function registered({ product, origins }: Props): HtmlSafeString {
  const path = productPath(product.slug);
  const places = html`<a href="${path}/listing">website or sign-in address</a> or
    <a href="${path}/clients">a redirect URI</a>`;
  if (origins.size === 0) {
    return html`A return address has to be on an origin that the product has registered. None is
    registered yet: add a ${places}.`;
  }
  const listed = [...origins].map((origin) => html`<code class="id">${origin}</code> `);
  return html`Registered origins: ${listed}. Register others by a ${places}.`;
}

function offerLinks(props: Props, prices: PriceVersion[]): HtmlSafeString {
  const { kind, isDefaultOffer, offerId } = prices[0]!;
  return html`<div data-offer="${offerId}">
    ${card({
      title: `Buy links: ${OFFER_WORDS[kind].toLowerCase()}`,
      facts: html`${isDefaultOffer ? pill({ word: 'Default offer', tone: 'ok' }) : ''}`,
      body: factList([
        ...prices.map((price) => priceLink(props, price)),
        [
          'Offer id',
          copyable({ id: `offer-${offerId}`, label: 'offer id', text: offerId, isLine: true }),
        ],
      ]),
    })}
  </div>`;
}

function priceLink(props: Props, price: PriceVersion): Fact {
  const { product, src, baseUrl } = props;
  const { currency, amountMinor, isBase, isEnabled, isDefaultOffer, offerId } = price;
  const query = new URLSearchParams();
  if (src !== '') query.set('src', src);
  if (!isDefaultOffer) query.set('offer', offerId);
  if (!isBase) query.set('currency', currency);
  const returnTo = returnOf(props);
  if (returnTo !== null) query.set('return_to', returnTo);
  const path = `/buy/${product.slug}`;
  const text = baseUrl + (query.size === 0 ? path : `${path}?${query.toString()}`);
  const amount = formatMoney(amountMinor, currency);
  const name = html`${money(amountMinor, currency)}
  ${isEnabled ? '' : pill({ word: 'Paused', tone: 'warn' })}`;
  const id = `buy-${offerId}-${currency}`;
  return [name, copyable({ id, label: `buy link for ${amount}`, text })];
}

function badge({ product, baseUrl }: Props): HtmlSafeString {
  const { width, height } = BADGE_SIZE;
  const page = `${baseUrl}/p/${product.slug}`;
  const picture = `<img src="${page}/badge" alt="Listed on Gatehouse" width="${width}" height="${height}">`;
  const text = `<a href="${page}">${picture}</a>`;
  return card({
    title: 'Badge',
    facts: 'Links to the store and says whether the product is listed',
    body: html`<p>
        <img
          src="/p/${product.slug}/badge"
          alt="The badge of ${product.name}"
          width="${width}"
          height="${height}"
        />
      </p>
      ${copyable({ id: 'badge-html', label: 'HTML of the badge', text })}`,
  });
}

function addresses({ product, baseUrl }: Props): Fact[] {
  const store = `${baseUrl}/p/${product.slug}`;
  return [
    ['Store page', copyable({ id: 'store-address', label: 'store address', text: store })],
    [
      'Product id',
      copyable({ id: 'product-id', label: 'product id', text: product.id, isLine: true }),
    ],
  ];
}
