import { html, type HtmlSafeString } from '@prairielearn/html';
import { barChart, chartKey } from '../../html/chart.ts';
import { avatar } from '../../html/parts/avatar.ts';
import { card } from '../../html/parts/card.ts';
import { figures } from '../../html/parts/figures.ts';
import { money } from '../../html/parts/money.ts';
import { needs } from '../../html/parts/needs.ts';
import { table } from '../../html/table.ts';

const DAYS = [90, 84, 120, 124, 88, 121, 96];

/** What waits for somebody, sums in two currencies, and a narrow table beside a chart. */
export function needParts(): HtmlSafeString {
  return html`<p>${avatar('Nora Quist')} ${avatar('دفتر الجيب')}</p>
    ${figures([
      { name: 'Revenue', value: money(4_218_50, 'USD'), more: [money(322_00, 'EUR')] },
      { name: 'Customers', value: '1,406', change: { words: '64 fewer', tone: 'down' } },
    ])}
    ${card({
      title: 'What needs you',
      rows: needs([
        {
          tone: 'bad',
          title: 'An endpoint fails',
          line: '2 deliveries wait for a retry.',
          action: { path: '#needs', label: 'See deliveries' },
        },
        { tone: 'warn', title: 'A key expires soon', line: 'Use the new one.' },
        {
          tone: 'plain',
          title: 'Set a price',
          line: 'No price in an enabled currency.',
          action: { path: '#needs', label: 'Set a price', isMain: true },
        },
        { tone: 'ok', title: 'Payouts enabled' },
      ]),
    })}
    ${card({
      title: 'Access checks by day',
      facts: chartKey([
        { label: 'Open', mark: 1 },
        { label: 'Locked', mark: 5 },
        { label: 'Today, so far', mark: 'open' },
        { label: '7 days before', mark: 'before' },
      ]),
      rows: html`<div class="chart-and-weeks">
        ${barChart({
          id: 'design-checks',
          title: 'Access checks by day',
          summary: 'Access checks of 7 days, most of them open.',
          series: ['Open', 'Locked'],
          colours: [1, 5],
          hasKey: false,
          bars: DAYS.map((value, index) => ({ label: `${index + 1} Nov`, values: [value, 12] })),
          unit: 'Day',
        })}
        ${table({
          label: 'Checks by week',
          isNarrow: true,
          empty: '',
          rows: [{ week: '1 \u2013 7 Nov', count: '807' }],
          columns: {
            Week: ({ week }) => week,
            Checks: { isNumber: true, cell: ({ count }) => count },
          },
        })}
      </div>`,
    })}`;
}
