import { html, type HtmlSafeString } from '@prairielearn/html';
import type { MemberPriceView } from '../../../domain/billing/memberships/member-price.repository.ts';
import type { BillingInterval } from '../../../domain/billing/subscriptions/billing-interval.ts';
import type { View } from '../../http/route.ts';
import { PER, termsOf } from '../../account/subscriptions/price-labels.ts';
import type { PriceProblems } from '../../console/catalog/typed-price.ts';
import { askOnce, form, smallButton } from '../../html/form.ts';
import { instant } from '../../html/layout.ts';
import { table } from '../../html/table.ts';
import { MEMBER_PRICES, operatorPage } from '../operator.page.ts';

export type MemberPriceDraft = {
  currency: string;
  amount: string;
  billingInterval: BillingInterval;
  problems: PriceProblems;
};

type Props = {
  /** Current prices first. */
  prices: MemberPriceView[];
  currencies: string[];
  draft: MemberPriceDraft | undefined;
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
  return form({
    action: MEMBER_PRICES,
    token,
    button: 'Set price',
    fields: [
      {
        label: 'Currency',
        name: 'currency',
        value: draft?.currency ?? '',
        options: currencies.map((code) => ({ value: code, label: code })),
        problem: draft?.problems.currency,
      },
      {
        label: 'Amount',
        name: 'amount',
        value: draft?.amount ?? '',
        hint: 'Including taxes, such as 9.99.',
        problem: draft?.problems.amount,
      },
      {
        label: 'Renews',
        name: 'interval',
        value: draft?.billingInterval ?? 'month',
        options: [
          { value: 'month', label: 'Every month' },
          { value: 'year', label: 'Every year' },
        ],
      },
    ],
  });
}

function versions({ prices, token }: Props): HtmlSafeString {
  return table({
    label: 'Prices',
    rows: prices,
    empty: 'No prices yet. Nobody can subscribe.',
    columns: [
      { heading: 'Price', cell: (price: MemberPriceView) => termsOf(price) },
      { heading: 'Since', cell: ({ createdAt }) => instant(createdAt) },
      { heading: 'Until', cell: until },
      { heading: 'Set by', cell: ({ setBy }) => setBy ?? '-' },
      {
        heading: 'Actions',
        cell: ({ currency, billingInterval: interval, retiredAt }) =>
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
    ],
  });
}

function until({ retiredAt, isEnabled }: MemberPriceView): HtmlSafeString | string {
  if (retiredAt !== null) return instant(retiredAt);
  return isEnabled ? '' : 'Paused: currency disabled';
}
