import { html, type HtmlSafeString } from '@prairielearn/html';
import type { MemberPriceView } from '../../../domain/billing/memberships/member-price.repository.ts';
import type { View } from '../../http/route.ts';
import { writeTerms } from '../../account/subscriptions/price-labels.ts';
import { form, formFields, type Draft } from '../../html/form.ts';
import { fold } from '../../html/parts/fold.ts';
import { listCard } from '../../html/parts/list-card.ts';
import { shortInstant } from '../../html/dates.ts';
import { PER } from '../../html/offer-labels.ts';
import { card } from '../../html/parts/card.ts';
import { pill } from '../../html/parts/pill.ts';
import { MEMBER_PRICES, operatorPage } from '../operator.page.ts';

export type MemberPriceDraft = Draft<'currency' | 'amount' | 'interval'>;

type Props = {
  /** Current prices first. */
  prices: MemberPriceView[];
  currencies: string[];
  draft: MemberPriceDraft | null;
  token: string;
};

export function memberPricesPage(props: Props): View {
  return operatorPage({
    section: MEMBER_PRICES,
    title: 'Member',
    lead: 'Members keep their price. A new price applies to new members. All payments for Member go to the platform.',
    content: html`${versions(props)} ${card({ title: 'Set a price', body: priceForm(props) })}`,
  });
}

function priceForm({ draft, currencies, token }: Props): HtmlSafeString {
  const fields = formFields(draft, { interval: 'month' });
  return form({
    action: MEMBER_PRICES,
    token,
    button: 'Set price',
    isMain: true,
    fields: [
      fields('currency', {
        label: 'Currency',
        options: currencies.map((code) => ({ value: code, label: code })),
      }),
      fields('amount', { label: 'Amount', hint: 'Including taxes, such as 9.99.' }),
      fields('interval', {
        label: 'Renews',
        options: [
          { value: 'month', label: 'Every month' },
          { value: 'year', label: 'Every year' },
        ],
      }),
    ],
  });
}

function versions({ prices, token }: Props): HtmlSafeString {
  return listCard({
    title: 'Prices',
    label: 'Prices',
    rows: prices,
    empty: { title: 'No prices yet', sentence: 'Nobody can subscribe before a price is set.' },
    columns: {
      Price: (price: MemberPriceView) => writeTerms(price),
      State: { cell: state, onPhone: 'state' },
      'Since (UTC)': ({ createdAt }) => shortInstant(createdAt),
      'Until (UTC)': ({ retiredAt }) => (retiredAt === null ? '' : shortInstant(retiredAt)),
      'Set by': ({ setBy }) => (setBy === null ? '' : `@${setBy}`),
      Change: (price) => removing(price, token),
    },
  });
}

function removing(
  { currency, billingInterval: interval, retiredAt }: MemberPriceView,
  token: string,
) {
  if (retiredAt !== null) return '';
  const folded = fold({
    summary: 'Remove',
    about: `${currency} ${PER[interval]}`,
    sentence: 'Nobody can subscribe at this price any more. Current members keep it.',
    isDangerous: true,
    content: form({
      action: `${MEMBER_PRICES}/withdraw`,
      token,
      isDangerous: true,
      hidden: { currency, interval },
      button: `Remove price in ${currency}`,
    }),
  });
  return html`<div class="actions">${folded}</div>`;
}

function state({ retiredAt, isEnabled }: MemberPriceView): HtmlSafeString {
  if (retiredAt !== null) return pill({ word: 'Replaced', tone: 'neutral' });
  return isEnabled
    ? pill({ word: 'Active', tone: 'ok', isLive: true })
    : pill({ word: 'Paused: currency disabled', tone: 'warn' });
}
