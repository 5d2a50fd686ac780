import { html } from '@prairielearn/html';
import type { CurrencyView } from '../../../domain/catalog/prices/currency.repository.ts';
import type { PlatformFeeView } from '../../../domain/billing/platform-fee.repository.ts';
import type { View } from '../../http/route.ts';
import { askOnce, form, smallButton } from '../../html/form.ts';
import { instant } from '../../html/layout.ts';
import { table } from '../../html/table.ts';
import { MONEY, operatorPage } from '../operator.page.ts';

export type MoneyDraft = {
  currency?: { typed: string; problem: string };
  fee?: { typed: string; problem: string };
};

type Props = {
  currencies: CurrencyView[];
  fees: PlatformFeeView[];
  draft: MoneyDraft;
  token: string;
};

export function moneyPage(props: Props): View {
  const content = html`
    <section>
      <h2>Currencies</h2>
      ${currencies(props)}
    </section>
    <section>
      <h2>Platform fee</h2>
      ${fees(props)}
    </section>
  `;
  const title = 'Fee and currencies';
  return operatorPage({ section: MONEY, title, content });
}

function currencies({ currencies: enabled, draft, token }: Props) {
  const action = `${MONEY}/currencies`;
  return html`<p>
      Products can be sold in these currencies. If you disable a currency, its prices are paused
      until you enable it again.
    </p>
    ${table({
      label: 'Currencies',
      rows: enabled,
      empty: 'No currencies enabled. Nothing can be sold.',
      columns: [
        { heading: 'Currency', cell: ({ currency }: CurrencyView) => currency },
        { heading: 'Enabled', cell: ({ enabledAt }) => instant(enabledAt) },
        { heading: 'Active prices', cell: ({ prices }) => String(prices) },
        {
          heading: 'Actions',
          cell: (line) => disabling(line, { action, token }),
        },
      ],
    })}
    <div class="slim">
      ${form({
        action,
        token,
        button: 'Enable currency',
        hidden: { action: 'enable' },
        fields: [
          {
            label: 'Currency',
            name: 'currency',
            value: draft.currency?.typed ?? '',
            hint: 'An ISO 4217 code, such as JPY.',
            problem: draft.currency?.problem,
          },
        ],
      })}
    </div>`;
}

function disabling(
  { currency, products, onlyHere }: CurrencyView,
  { action, token }: { action: string; token: string },
) {
  const words = { one: 'listed product has', many: 'listed products have' };
  return askOnce({
    summary: 'Disable',
    label: `Disable ${currency}`,
    sentence: html`${describeCount(products, words)} a price in ${currency}.
      <strong>${stopWords(onlyHere)}</strong>
      ${products > onlyHere ? 'The others go on in their other currencies.' : ''} Member is not sold
      in ${currency} either. Current subscriptions and open checkouts go on.`,
    button: smallButton({
      action,
      token,
      hidden: { action: 'disable', currency },
      button: `Disable ${currency}`,
    }),
  });
}

function stopWords(onlyHere: number): string {
  const words = { one: 'product has', many: 'products have' };
  if (onlyHere === 0) return 'No product stops selling.';
  return `${describeCount(onlyHere, words)} no other currency and ${onlyHere === 1 ? 'stops' : 'stop'} selling.`;
}

function describeCount(count: number, { one, many }: { one: string; many: string }): string {
  return `${count} ${count === 1 ? one : many}`;
}

function fees({ fees: all, draft, token }: Props) {
  return html`<p>
      The platform keeps this share of each payment, in basis points (1,000 = 10%), rounded down to
      the minor unit. A new fee applies to new checkouts.
    </p>
    <div class="slim">
      ${form({
        action: `${MONEY}/fee`,
        token,
        button: 'Set fee',
        fields: [
          {
            label: 'Basis points',
            name: 'basis_points',
            value: draft.fee?.typed ?? String(all[0]?.basisPoints ?? ''),
            hint: 'A whole number from 0 to 10,000.',
            problem: draft.fee?.problem,
          },
        ],
      })}
    </div>
    ${table({
      label: 'Fees',
      rows: all,
      empty: 'No fee set.',
      columns: [
        {
          heading: 'Basis points',
          cell: ({ basisPoints }: PlatformFeeView) => String(basisPoints),
        },
        {
          heading: 'Since',
          cell: ({ since }) => (since.getTime() === 0 ? 'From the start' : instant(since)),
        },
        { heading: 'Set by', cell: ({ setBy }) => setBy ?? '-' },
      ],
    })}`;
}
