import { html, type HtmlSafeString } from '@prairielearn/html';
import { field, searchField, select } from '../../html/parts/field.ts';
import { filterForm } from '../../html/parts/filter-form.ts';
import { money } from '../../html/parts/money.ts';
import { picks, segment } from '../../html/parts/choice.ts';

const CURRENCIES = ['USD', 'EUR', 'GBP'].map((code) => ({ value: code, label: code }));

const OFFERS = [
  { value: 'once', label: 'Once', hint: 'One payment', price: money(14_50, 'USD') },
  { value: 'monthly', label: 'Monthly', hint: 'Cancel anytime', price: money(3_00, 'USD') },
];

/** Fields in every state. */
export function fieldParts(): HtmlSafeString {
  return html`<form method="get" action="/console/design">
      ${field({
        label: 'Tagline',
        name: 'tagline',
        value: 'The sea, one week ahead.',
        hint: 'One sentence, 24 of 140 characters.',
      })}
      ${field({
        label: 'Webhook address',
        name: 'address',
        value: 'http://10.0.0.4/hooks',
        problem: 'Use a public address that begins with https://',
      })}
      ${field({ label: 'Buyers pay', name: 'amount', value: '30.00', unit: 'USD' })}
      ${field({ label: 'Description', name: 'text', rows: 3, isRequired: false, isOptional: true })}
      ${select({ label: 'Period', name: 'period', options: [{ value: '1', label: 'November 2026' }] })}
      <label>Disabled <input value="Sold here" disabled /></label>
      ${segment({ legend: 'Currency', name: 'currency', options: CURRENCIES, value: 'USD' })}
      ${picks({ legend: 'How do you want to pay?', name: 'offer', options: OFFERS, value: 'once' })}
      <fieldset>
        <legend>Events</legend>
        <label><input type="checkbox" name="a" checked /> entitlement.created</label>
        <label><input type="checkbox" name="b" /> purchase.refunded</label>
      </fieldset>
    </form>
    ${filterForm({
      path: '/console/design',
      fields: [
        searchField({
          label: 'Name or ID',
          name: 'q',
          value: '',
          maxLength: 40,
          placeholder: 'pay_...',
        }),
        select({ label: 'State', name: 'state', options: [{ value: '', label: 'Every state' }] }),
      ],
      isFiltered: true,
    })}
    ${filterForm({
      path: '/console/design',
      button: 'Find',
      fields: [
        searchField({
          label: 'Handle or id',
          name: 'find',
          value: '',
          maxLength: 40,
          placeholder: 'Handle or pay_...',
          isBare: true,
        }),
      ],
    })}`;
}
