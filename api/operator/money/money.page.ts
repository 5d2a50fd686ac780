import { html } from '@prairielearn/html';
import type { CurrencyView } from '../../../domain/catalog/prices/currency.repository.ts';
import type { PlatformFeeView } from '../../../domain/billing/platform-fee.repository.ts';
import type { View } from '../../http/route.ts';
import { askOnce, form, formFields, smallButton, type Draft } from '../../html/form.ts';
import { instant } from '../../html/layout.ts';
import { table } from '../../html/table.ts';
import { MONEY, operatorPage } from '../operator.page.ts';

export type MoneyDraft = Draft<'currency' | 'basis_points'>;

type Props = {
  currencies: CurrencyView[];
  fees: PlatformFeeView[];
  draft: MoneyDraft | null;
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
  const fields = formFields(draft);
  return html`<p>
      Products can be sold in these currencies. If you disable a currency, its prices are paused
      until you enable it again.
    </p>
    ${table({
      label: 'Currencies',
      rows: enabled,
      empty: 'No currencies enabled. Nothing can be sold.',
      columns: {
        Currency: ({ currency }: CurrencyView) => currency,
        Enabled: ({ enabledAt }) => instant(enabledAt),
        'Active prices': ({ prices }) => String(prices),
        Actions: (line) => disabling(line, { action, token }),
      },
    })}
    <div class="slim">
      ${form({
        action,
        token,
        button: 'Enable currency',
        hidden: { action: 'enable' },
        fields: [fields('currency', { label: 'Currency', hint: 'An ISO 4217 code, such as JPY.' })],
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
  const fields = formFields(draft, { basis_points: String(all[0]?.basisPoints ?? '') });
  return html`<p>
      The platform keeps this share of each payment, in basis points (1,000 = 10%), rounded down to
      the minor unit. A new fee applies to new checkouts.
    </p>
    <div class="slim">
      ${form({
        action: `${MONEY}/fee`,
        token,
        button: 'Set fee',
        isMain: true,
        fields: [
          fields('basis_points', {
            label: 'Basis points',
            hint: 'A whole number from 0 to 10,000.',
          }),
        ],
      })}
    </div>
    ${table({
      label: 'Fees',
      rows: all,
      empty: 'No fee set.',
      columns: {
        'Basis points': ({ basisPoints }: PlatformFeeView) => String(basisPoints),
        Since: ({ since }) => (since.getTime() === 0 ? 'From the start' : instant(since)),
        'Set by': ({ setBy }) => setBy ?? '-',
      },
    })}`;
}
