// One price at a time is set or changed.
import { html, type HtmlSafeString } from '@prairielearn/html';
import type { PriceVersion } from '../../../domain/catalog/prices/price-list.repository.ts';
import type { OfferKind, ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import { formatMoney, platformCutMinor, writeAmount } from '../../../domain/shared/money.ts';
import { field, select } from '../../html/parts/field.ts';
import { formFields, type Draft } from '../../html/form.ts';
import { fold } from '../../html/parts/fold.ts';
import { writeBasisPoints } from '../../html/numbers.ts';
import { formToken } from '../../html/parts/form-token.ts';
import { OFFER_NAMES, PER } from '../../html/offer-labels.ts';
import { button } from '../../html/parts/button.ts';
import { card } from '../../html/parts/card.ts';
import { segment } from '../../html/parts/choice.ts';
import { money } from '../../html/parts/money.ts';
import { sums } from '../../html/parts/sums.ts';
import { productPath } from '../console-frame.ts';

export type PriceDraft = Draft<'kind' | 'currency' | 'amount'>;

export type EditorProps = {
  product: ManagedProduct;
  active: PriceVersion[];
  currencies: string[];
  /** The platform's fee of new checkouts. */
  feeBasisPoints: number;
  /** The price that is changed; without a currency, a new one of the offer. */
  edited: { kind: OfferKind; currency: string | null };
  draft: PriceDraft | null;
  formToken: string;
};

const KINDS = Object.entries(OFFER_NAMES).map(([value, label]) => ({ value, label }));

export function priceEditor(props: EditorProps): HtmlSafeString {
  const { active, edited, draft } = props;
  const current =
    draft === null
      ? active.find(({ kind, currency }) => kind === edited.kind && currency === edited.currency)
      : undefined;
  return html`<div id="editor">
    ${current === undefined ? newPrice(props) : changedPrice(props, current)}
  </div>`;
}

function newPrice(props: EditorProps): HtmlSafeString {
  const { draft, currencies, edited } = props;
  const fields = formFields(draft);
  return card({
    title: 'Set a price',
    body: priceForm(
      props,
      html`${segment({
          legend: 'Offer',
          name: 'kind',
          options: KINDS,
          value: draft?.typed.kind ?? edited.kind,
        })}
        <div class="pair">
          ${field(
            fields('amount', {
              label: 'Buyers pay',
              hint: 'Including taxes, such as 12.50.',
            }),
          )}
          ${select(
            fields('currency', {
              label: 'Currency',
              options: currencies.map((code) => ({ value: code, label: code })),
            }),
          )}
        </div>`,
    ),
  });
}

function changedPrice(props: EditorProps, current: PriceVersion): HtmlSafeString {
  const { product, feeBasisPoints } = props;
  const { kind, currency, amountMinor } = current;
  const price = formatMoney(amountMinor, currency);
  return card({
    title: `Change ${price} ${PER[kind]}`,
    actions: button({
      text: 'Set another price',
      kind: 'quiet',
      size: 'small',
      href: `${productPath(product.slug)}/prices#editor`,
    }),
    body: html`${priceForm(
      props,
      html`<input type="hidden" name="kind" value="${kind}" />
        <input type="hidden" name="currency" value="${currency}" />
        ${field({
          label: 'Buyers pay',
          name: 'amount',
          value: writeAmount(amountMinor, currency),
          unit: currency,
          hint: 'Including taxes, such as 12.50.',
        })}
        ${share(current, feeBasisPoints)}`,
    )}
    ${more(props, current)}`,
  });
}

function priceForm(props: EditorProps, fields: HtmlSafeString): HtmlSafeString {
  return html`<form method="post" action="${productPath(props.product.slug)}/prices">
    ${formToken(props.formToken)} ${fields}
    <div class="buttons">
      ${button({ text: 'Set price', kind: 'primary' })}
      <small class="muted">Open checkouts and current subscriptions keep their price.</small>
    </div>
  </form>`;
}

/** What the seller has of the present price. */
function share({ amountMinor, currency }: PriceVersion, basisPoints: number): HtmlSafeString {
  const fee = platformCutMinor(amountMinor, basisPoints);
  return html`<div class="well net">
    <p>You receive of each sale now <b>${writeBasisPoints(10_000 - basisPoints)}</b></p>
    <p class="figure">${money(amountMinor - fee, currency)}</p>
    <progress max="${amountMinor}" value="${amountMinor - fee}" aria-hidden="true"></progress>
    ${sums([
      ['Buyers pay', money(amountMinor, currency)],
      [`Platform fee, ${writeBasisPoints(basisPoints)}`, money(0 - fee, currency)],
    ])}
  </div>`;
}

function more(
  { product, formToken: token }: EditorProps,
  { currency, kind, isBase }: PriceVersion,
) {
  const action = `${productPath(product.slug)}/prices/${currency}`;
  return html`<form method="post" action="${action}" class="actions">
    ${formToken(token)}
    <input type="hidden" name="kind" value="${kind}" />
    ${isBase ? '' : button({ text: 'Make base price', name: 'action', value: 'base' })}
    ${fold({
      summary: 'Remove price',
      isDangerous: true,
      sentence: `Nobody can buy this offer in ${currency} any more; its other currencies go on. Current subscriptions and open checkouts keep their price.`,
      content: button({
        text: `Remove price in ${currency}`,
        kind: 'danger',
        name: 'action',
        value: 'withdraw',
      }),
    })}
  </form>`;
}
