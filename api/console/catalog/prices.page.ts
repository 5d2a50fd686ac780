import { html, type HtmlSafeString } from '@prairielearn/html';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import type { PriceVersion } from '../../../domain/catalog/prices/price-list.repository.ts';
import { platformCutMinor } from '../../../domain/shared/money.ts';
import { isAllowed } from '../../../domain/teams/permissions.ts';
import type { View } from '../../http/route.ts';
import { blockNotice, problemNotice } from '../../html/notices.ts';
import { writeBasisPoints } from '../../html/numbers.ts';
import { shortDay } from '../../html/dates.ts';
import { OFFER_WORDS } from '../../html/offer-labels.ts';
import { button } from '../../html/parts/button.ts';
import { card } from '../../html/parts/card.ts';
import { money } from '../../html/parts/money.ts';
import { note } from '../../html/parts/note.ts';
import { pill } from '../../html/parts/pill.ts';
import { table } from '../../html/table.ts';
import { withAside } from '../../html/parts/beside.ts';
import { productFrame, productPath } from '../console-frame.ts';
import { priceEditor, type EditorProps } from './price-editor.ts';

type PricesProps = EditorProps & {
  retired: PriceVersion[];
  /** The reason why the page is read-only. */
  blockReason: string | null;
  problem: string | null;
};

export function pricesPage(props: PricesProps): View {
  const { product, active, retired, blockReason } = props;
  const offers = [...Map.groupBy(active, ({ offerId }) => offerId).values()];
  return {
    title: `Prices of ${product.name}`,
    ...productFrame(product, '/prices', 'Prices'),
    content: html`
      <p class="lead">
        Buyers see the base price of the default offer unless a link names another one. We never
        convert prices.
      </p>
      ${blockNotice(blockReason)} ${problemNotice(props.problem)}
      ${withAside(
        html`${offers.length === 0 ? NO_PRICES : offers.map((prices) => offerCard(prices, props))}
        ${blockReason === null ? priceEditor(props) : ''}
        ${retired.length === 0 ? '' : history(retired)}`,
        html`${cost(props)} ${member(product)}`,
      )}
    `,
  };
}

const NO_PRICES = note({
  tone: 'info',
  sentence: 'No prices yet.',
  more: 'Nobody can buy the product.',
});

function offerCard(prices: PriceVersion[], props: PricesProps): HtmlSafeString {
  const { kind, isDefaultOffer } = prices[0]!;
  const { product, feeBasisPoints, blockReason, edited } = props;
  const editor = (query: string) => `${productPath(product.slug)}/prices?${query}#editor`;
  const add = button({
    text: 'Currency',
    icon: 'plus',
    size: 'small',
    label: `Add a currency: ${OFFER_WORDS[kind]}`,
    href: editor(`kind=${kind}`),
  });
  const change = ({ currency }: PriceVersion) =>
    button({
      text: 'Change price',
      kind: 'quiet',
      size: 'small',
      label: `Change price: ${currency}, ${OFFER_WORDS[kind]}`,
      href: editor(`kind=${kind}&currency=${currency}`),
    });
  return card({
    title: OFFER_WORDS[kind],
    facts: html`${isDefaultOffer ? pill({ word: 'Default offer', tone: 'ok' }) : ''}`,
    ...(blockReason === null && { actions: add }),
    rows: table({
      label: OFFER_WORDS[kind],
      empty: '',
      rows: prices,
      isCurrent: ({ currency }) => kind === edited.kind && currency === edited.currency,
      columns: {
        Price: priceCell,
        [`Fee, ${writeBasisPoints(feeBasisPoints)}`]: {
          cell: (price) => money(0 - feeOf(price, feeBasisPoints), price.currency),
          isNumber: true,
        },
        'You receive': {
          cell: (price) =>
            html`<strong
              >${money(price.amountMinor - feeOf(price, feeBasisPoints), price.currency)}</strong
            >`,
          isNumber: true,
        },
        Since: { cell: ({ createdAt }) => shortDay(createdAt), isNumber: true, onPhone: 'drop' },
        ...(blockReason === null && { Change: { cell: change, isNumber: true, onPhone: 'state' } }),
      },
    }),
  });
}

function feeOf({ amountMinor }: PriceVersion, feeBasisPoints: number): number {
  return platformCutMinor(amountMinor, feeBasisPoints);
}

function priceCell({ currency, amountMinor, isBase, isEnabled, kind }: PriceVersion) {
  return html`<span data-price="${currency}" data-kind="${kind}"
      >${money(amountMinor, currency)}</span
    >
    ${isBase ? pill({ word: 'Base', tone: 'neutral' }) : ''}
    ${
      isEnabled
        ? ''
        : html`${pill({ word: 'Paused', tone: 'warn' })} <br /><small
              >The currency is
              disabled.${isBase ? ' Buy links without a currency lead to the product page.' : ''}</small
            >`
    }`;
}

const WITH_CENTS = ['USD', 'EUR', 'GBP'];
const EXAMPLES = [300, 1_000, 1_900, 4_900];

/** Shows the fee before the first price, in round amounts. */
function cost({ feeBasisPoints, active }: PricesProps): HtmlSafeString {
  const base = active.find(({ isBase }) => isBase)?.currency ?? '';
  const currency = WITH_CENTS.includes(base) ? base : 'USD';
  return card({
    title: 'What it costs you',
    body: html`<p>We keep <strong>${writeBasisPoints(feeBasisPoints)}</strong> of each payment.</p>
      <table class="examples">
        <thead>
          <tr>
            <th scope="col">Buyers pay</th>
            <th scope="col" class="number">You receive</th>
          </tr>
        </thead>
        <tbody>
          ${EXAMPLES.map(
            (amountMinor) =>
              html`<tr>
                <td>${money(amountMinor, currency)}</td>
                <td class="number">
                  ${money(amountMinor - platformCutMinor(amountMinor, feeBasisPoints), currency)}
                </td>
              </tr>`,
          )}
        </tbody>
      </table>
      <p><small>When money goes back, its share of the fee goes back to you.</small></p>`,
  });
}

function member({ slug, roles, includedWithMember, delivery }: ManagedProduct) {
  if (delivery !== 'entitlement_api') return '';
  const path = productPath(slug);
  const next = isAllowed(roles, 'see_statements')
    ? button({ text: 'Member and pool', size: 'small', href: `${path}/pool` })
    : button({ text: 'Settings', size: 'small', href: `${path}/selling#member` });
  return card({
    title: 'Member',
    facts: html`${
      includedWithMember
        ? pill({ word: 'Included', tone: 'ok', isLive: true })
        : pill({ word: 'Not included', tone: 'neutral' })
    }`,
    body: html`<p>
        ${
          includedWithMember
            ? 'Members use this product. The creator pool pays you for their days of use.'
            : 'Included products are paid from the creator pool. You can still sell this one separately.'
        }
      </p>
      ${next}`,
  });
}

function history(retired: PriceVersion[]): HtmlSafeString {
  return card({
    title: 'Past prices',
    rows: table({
      label: 'Past prices',
      empty: 'None.',
      rows: retired,
      columns: {
        Price: ({ amountMinor, currency, isBase }: PriceVersion) =>
          html`${money(amountMinor, currency)}
          ${isBase ? pill({ word: 'Base', tone: 'neutral' }) : ''}`,
        Offer: ({ kind }) => OFFER_WORDS[kind],
        From: { cell: ({ createdAt }) => shortDay(createdAt), isNumber: true },
        Until: {
          cell: ({ retiredAt }) => (retiredAt === null ? '–' : shortDay(retiredAt)),
          isNumber: true,
        },
      },
    }),
  });
}
