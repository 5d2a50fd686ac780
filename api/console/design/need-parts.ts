import { html, type HtmlSafeString } from '@prairielearn/html';
import { barChart, chartKey } from '../../html/chart.ts';
import { appIcon } from '../../html/emblems.ts';
import { avatar } from '../../html/parts/avatar.ts';
import { card } from '../../html/parts/card.ts';
import { figures } from '../../html/parts/figures.ts';
import { money } from '../../html/parts/money.ts';
import { named } from '../../html/parts/named.ts';
import { needs } from '../../html/parts/needs.ts';
import { table } from '../../html/table.ts';
import { chartWithTable, halves, withAside } from '../../html/parts/beside.ts';

const DAYS = [90, 84, 120, 124, 88, 121, 96];

const product = named({
  mark: appIcon({ slug: 'arabic', name: 'دفتر الجيب', iconHash: null }, 34),
  name: html`<a href="#named">دفتر الجيب</a>`,
  line: 'A tagline is cut where it is too long for its column, and read whole on a phone. '.repeat(
    2,
  ),
});

/** Names with their marks, what stands beside what, what waits for somebody, sums in two currencies, and a narrow table beside a chart. */
export function needParts(): HtmlSafeString {
  return html`${halves(
    html`${card({ title: 'Person', body: named({ mark: avatar('Nora Quist'), name: 'Nora Quist' }) })}
    ${card({ title: 'Product', body: product })}`,
  )}
  ${withAside(
    card({ title: 'What happened', body: html`<p>What the page is about.</p>` }),
    card({ title: 'Money', body: html`<p>What is known about it.</p>` }),
  )}
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
  ${checksCard()}`;
}

function checksCard(): HtmlSafeString {
  return card({
    title: 'Access checks by day',
    facts: chartKey([
      { label: 'Open', mark: 1 },
      { label: 'Locked', mark: 5 },
      { label: 'Today, so far', mark: 'open' },
      { label: '7 days before', mark: 'before' },
    ]),
    rows: chartWithTable(
      barChart({
        id: 'design-checks',
        title: 'Access checks by day',
        summary: 'Access checks of 7 days, most of them open.',
        series: ['Open', 'Locked'],
        colours: [1, 5],
        hasKey: false,
        bars: DAYS.map((value, index) => ({ label: `${index + 1} Nov`, values: [value, 12] })),
        unit: 'Day',
      }),
      table({
        label: 'Checks by week',
        isNarrow: true,
        empty: '',
        rows: [{ week: '1 \u2013 7 Nov', count: '807' }],
        columns: {
          Week: ({ week }) => week,
          Checks: { isNumber: true, cell: ({ count }) => count },
        },
      }),
    ),
  });
}
