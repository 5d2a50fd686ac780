import { html, type HtmlSafeString } from '@prairielearn/html';
import type { MemberPriceView } from '../../../domain/billing/memberships/member-price.repository.ts';
import type { View } from '../../http/route.ts';
import { PER, writeTerms } from '../../account/subscriptions/price-labels.ts';
import { askOnce, form, formFields, smallButton, type Draft } from '../../html/form.ts';
import { instant } from '../../html/layout.ts';
import { table } from '../../html/table.ts';
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
  const content = html`
    <p>
      Existing members keep their price. A new price applies to new members. All payments for Member
      go to the platform.
    </p>
    <div class="slim">${priceForm(props)}</div>
    ${versions(props)}
  `;
  return operatorPage({ section: MEMBER_PRICES, title: 'Member', content });
}

function priceForm({ draft, currencies, token }: Props): HtmlSafeString {
  const fields = formFields(draft, { interval: 'month' });
  return form({
    action: MEMBER_PRICES,
    token,
    button: 'Set price',
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
  return table({
    label: 'Prices',
    rows: prices,
    empty: 'No prices yet. Nobody can subscribe.',
    columns: {
      Price: (price: MemberPriceView) => writeTerms(price),
      Since: ({ createdAt }) => instant(createdAt),
      Until: until,
      'Set by': ({ setBy }) => setBy ?? '-',
      Actions: ({ currency, billingInterval: interval, retiredAt }) =>
        retiredAt === null
          ? askOnce({
              summary: 'Remove',
              label: `Remove: ${currency} ${PER[interval]}`,
              sentence: 'Nobody can subscribe at this price any more. Current members keep it.',
              button: smallButton({
                action: `${MEMBER_PRICES}/withdraw`,
                token,
                hidden: { currency, interval },
                button: `Remove price in ${currency}`,
              }),
            })
          : '',
    },
  });
}

function until({ retiredAt, isEnabled }: MemberPriceView): HtmlSafeString | string {
  if (retiredAt !== null) return instant(retiredAt);
  return isEnabled ? '' : 'Paused: currency disabled';
}
