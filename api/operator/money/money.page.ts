import { html, type HtmlSafeString } from '@prairielearn/html';
import type { CurrencyView } from '../../../domain/catalog/prices/currency.repository.ts';
import type { PlatformFeeView } from '../../../domain/billing/platform-fee.repository.ts';
import type { View } from '../../http/route.ts';
import { form, formFields, type Draft } from '../../html/form.ts';
import { fold } from '../../html/parts/fold.ts';
import { listCard } from '../../html/parts/list-card.ts';
import { writeBasisPoints, writePlural, writeCount } from '../../html/numbers.ts';
import { shortInstant } from '../../html/dates.ts';
import { card } from '../../html/parts/card.ts';
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
  const content = html`${feeCard(props)} ${feesCard(props)} ${currenciesCard(props)}`;
  return operatorPage({ section: MONEY, title: 'Fee and currencies', content });
}

function currenciesCard({ currencies, draft, token }: Props): HtmlSafeString {
  const action = `${MONEY}/currencies`;
  const fields = formFields(draft);
  return html`${card({
    title: 'Currencies',
    facts: 'Products can be sold in these',
    ...(currencies.length === 0
      ? { body: html`<p class="muted">No currency is enabled. Nothing can be sold.</p>` }
      : {
          rows: table({
            label: 'Currencies',
            rows: currencies,
            empty: '',
            columns: {
              Currency: ({ currency }: CurrencyView) => html`<strong>${currency}</strong>`,
              'Enabled (UTC)': ({ enabledAt }) => shortInstant(enabledAt),
              'Active prices': { cell: ({ prices }) => writeCount(prices), isNumber: true },
              Change: (line) => disabling(line, { action, token }),
            },
          }),
        }),
  })}
  ${card({
    title: 'Enable a currency',
    body: form({
      action,
      token,
      button: 'Enable currency',
      hidden: { action: 'enable' },
      fields: [fields('currency', { label: 'Currency', hint: 'An ISO 4217 code, such as JPY.' })],
    }),
    foot: 'The prices of a currency that is disabled are paused until it is enabled again.',
  })}`;
}

function disabling(
  { currency, products, onlyHere }: CurrencyView,
  { action, token }: { action: string; token: string },
) {
  const folded = fold({
    summary: 'Disable',
    about: currency,
    sentence: html`${writePlural(products, 'listed product has', 'listed products have')} a price in
      ${currency}.
      <strong>${stopWords(onlyHere)}</strong>
      ${products > onlyHere ? 'The others go on in their other currencies.' : ''} Member is not sold
      in ${currency} either. Current subscriptions and open checkouts go on.`,
    isDangerous: true,
    content: form({
      action,
      token,
      isDangerous: true,
      hidden: { action: 'disable', currency },
      button: `Disable ${currency}`,
    }),
  });
  return html`<div class="actions">${folded}</div>`;
}

function stopWords(onlyHere: number): string {
  if (onlyHere === 0) return 'No product stops selling.';
  const one = 'product has no other currency and stops selling.';
  return writePlural(onlyHere, one, 'products have no other currency and stop selling.');
}

function feeCard({ fees: [latest], draft, token }: Props): HtmlSafeString {
  const fields = formFields(draft, { basis_points: String(latest?.basisPoints ?? '') });
  return card({
    title: 'Platform fee',
    ...(latest === undefined
      ? {}
      : { facts: `${writeBasisPoints(latest.basisPoints)} of each payment` }),
    body: form({
      action: `${MONEY}/fee`,
      token,
      button: 'Set fee',
      isMain: true,
      fields: [
        fields('basis_points', {
          label: 'Fee',
          unit: 'basis points',
          hint: 'A whole number from 0 to 10,000. 1,000 is 10 %.',
        }),
      ],
    }),
    foot: 'Rounded down to the minor unit. A new fee applies to new checkouts.',
  });
}

function feesCard({ fees }: Props): HtmlSafeString {
  return listCard({
    title: 'Fees over time',
    label: 'Fees',
    rows: fees,
    empty: { title: 'No fee is set', sentence: 'The platform keeps nothing of a payment.' },
    columns: {
      'Since (UTC)': ({ since }: PlatformFeeView) =>
        since.getTime() === 0 ? 'From the start' : shortInstant(since),
      'Set by': ({ setBy }) => (setBy === null ? '' : `@${setBy}`),
      Fee: { cell: ({ basisPoints }) => writeBasisPoints(basisPoints), isNumber: true },
      'Basis points': { cell: ({ basisPoints }) => String(basisPoints), isNumber: true },
    },
  });
}
