import { html, type HtmlSafeString } from '@prairielearn/html';
import type { OfferKind, ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import type { PriceVersion } from '../../../domain/catalog/prices/price-list.repository.ts';
import { formatMoney } from '../../../domain/shared/money.ts';
import type { View } from '../../http/route.ts';
import { askOnce, form, formFields, type Draft } from '../../html/form.ts';
import { formToken, instant } from '../../html/layout.ts';
import { blockNotice, problemNotice } from '../../html/notices.ts';
import { table } from '../../html/table.ts';
import { productFrame, productPath } from '../console-frame.ts';
import { describeFee } from './fee-labels.ts';

export type PriceDraft = Draft<'kind' | 'currency' | 'amount'>;

type Props = {
  product: ManagedProduct;
  active: PriceVersion[];
  retired: PriceVersion[];
  currencies: string[];
  /** The platform's fee of new checkouts. */
  feeBasisPoints: number;
  /** The reason why the page is read-only. */
  blockReason: string | null;
  problem: string | null;
  draft: PriceDraft | null;
  formToken: string;
};

export function pricesPage(props: Props): View {
  const { product, active, retired, blockReason } = props;
  return {
    title: `Prices of ${product.name}`,
    ...productFrame(product, '/prices', 'Prices'),
    content: html`
      ${blockNotice(blockReason)} ${problemNotice(props.problem)}
      <p>
        Sell one-time, monthly or yearly. The buy link opens the default offer. Buyers see the base
        price unless the link names another currency. We never convert prices.
      </p>
      ${table({
        label: 'Prices',
        empty: 'No prices yet. Nobody can buy the product.',
        rows: active,
        columns: {
          Price: (price) => priceCell(price, props.feeBasisPoints),
          Offer: offerCell,
          Since: ({ createdAt }) => instant(createdAt),
          Actions: (price) => changes(price, props),
        },
      })}
      ${blockReason === null ? newPrice(props) : ''} ${retired.length === 0 ? '' : history(retired)}
    `,
  };
}

function priceCell(price: PriceVersion, feeBasisPoints: number): HtmlSafeString {
  const { currency, amountMinor, isBase, isEnabled } = price;
  return html`<span data-price="${currency}">${formatMoney(amountMinor, currency)}</span>
    ${isBase ? html`<mark>Base</mark>` : ''}
    <br /><small class="muted" data-fee>${describeFee(price, feeBasisPoints)}</small>
    ${isEnabled ? '' : html`<br /><small>Paused: currency disabled${isBase ? '. Buy links without a currency lead to the product page' : ''}</small>`}`;
}

export const OFFER_WORDS: Record<OfferKind, string> = {
  one_time: 'One-time purchase',
  monthly: 'Monthly subscription',
  yearly: 'Yearly subscription',
};

function offerCell({ kind, isDefaultOffer }: PriceVersion): HtmlSafeString {
  return html`<span data-kind="${kind}">${OFFER_WORDS[kind]}</span>
    ${isDefaultOffer ? html`<mark>Default</mark>` : ''}`;
}

function changes(
  { currency, isBase, kind }: PriceVersion,
  { product, blockReason, ...more }: Props,
) {
  if (blockReason !== null) return '';
  const action = `${productPath(product.slug)}/prices/${currency}`;
  return html`<form method="post" action="${action}" class="actions">
    ${formToken(more.formToken)}
    <input type="hidden" name="kind" value="${kind}" />
    ${
      isBase
        ? ''
        : html`<button
            name="action"
            value="base"
            class="outline secondary"
            aria-label="Make base: ${currency}, ${OFFER_WORDS[kind]}"
          >
            Make base
          </button>`
    }
    ${askOnce({
      summary: 'Remove',
      label: `Remove: ${currency}, ${OFFER_WORDS[kind]}`,
      sentence: `Nobody can buy this offer in ${currency} any more; its other currencies go on. Current subscriptions and open checkouts keep their price.`,
      button: html`<button name="action" value="withdraw" class="danger">
        Remove price in ${currency}
      </button>`,
    })}
  </form>`;
}

function newPrice({ product, draft, currencies, formToken: token }: Props) {
  const fields = formFields(draft, { kind: 'one_time' });
  return html`<article>
    <h2>Set a price</h2>
    <div class="slim">
      ${form({
        action: `${productPath(product.slug)}/prices`,
        token,
        button: 'Set price',
        isMain: true,
        fields: [
          fields('kind', {
            label: 'Offer',
            options: Object.entries(OFFER_WORDS).map(([value, label]) => ({ value, label })),
          }),
          fields('currency', {
            label: 'Currency',
            options: currencies.map((code) => ({ value: code, label: code })),
          }),
          fields('amount', {
            label: 'Amount',
            hint: 'What buyers pay, including taxes, such as 12.50.',
          }),
        ],
      })}
    </div>
    <p>
      <small>
        This replaces the current price in that currency. Open checkouts and current subscriptions
        keep their price.
      </small>
    </p>
  </article>`;
}

function history(retired: PriceVersion[]) {
  return html`<section>
    <h2>Past prices</h2>
    ${table({
      label: 'Past prices',
      empty: 'None.',
      rows: retired,
      columns: {
        Price: ({ amountMinor, currency, isBase }: PriceVersion) =>
          html`${formatMoney(amountMinor, currency)} ${isBase ? html`<mark>Base</mark>` : ''}`,
        Offer: offerCell,
        From: ({ createdAt }) => instant(createdAt),
        Until: ({ retiredAt }) => (retiredAt === null ? '-' : instant(retiredAt)),
      },
    })}
  </section>`;
}
