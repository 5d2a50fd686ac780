import { html, type HtmlSafeString } from '@prairielearn/html';
import { barChart } from '../../html/chart.ts';
import { ahead, shortInstant } from '../../html/dates.ts';
import { copyable, hiddenSecret } from '../../html/copy.ts';
import { card } from '../../html/parts/card.ts';
import { code } from '../../html/parts/code.ts';
import { more } from '../../html/parts/fold.ts';
import { prettyJson } from '../../html/highlight.ts';
import { figures } from '../../html/parts/figures.ts';
import { money } from '../../html/parts/money.ts';
import { pill } from '../../html/parts/pill.ts';
import { sums } from '../../html/parts/sums.ts';
import { steps } from '../../html/parts/steps.ts';
import { timeline } from '../../html/parts/timeline.ts';
import { productCard, productRow } from '../../html/product-cards.ts';
import { factList } from '../../html/parts/facts.ts';
import { table } from '../../html/table.ts';

const DAYS = [90, 84, 120, 124, 88, 121, 96, 52, 70, 84, 131, 118, 104, 138, 96, 61, 112, 110, 116];

/** Products in a list and as cards; names are as long as they may be. */
export function productParts(): HtmlSafeString {
  const shared = { tagline: 'Split bills, track cash.', sellerName: 'Farrow Works', hasSeal: true };
  const ledger = {
    ...shared,
    slug: 'pocket-ledger',
    name: 'Pocket Ledger',
    iconHash: null,
    amount: money(3_00, 'USD'),
    per: 'a month',
    isIncluded: true,
  };
  const long = { ...ledger, slug: 'long', name: 'A name '.repeat(12), hasSeal: false };
  const arabic = { ...ledger, slug: 'arabic', name: 'دفتر الجيب', isIncluded: false };
  return html`<div class="card">${[ledger, long, arabic].map(productRow)}</div>
    <ul class="cards">
      ${[ledger, long, arabic].map((each) => html`<li>${productCard(each, 'h3')}</li>`)}
    </ul>`;
}

/** Figures with and without a course, and a chart of several series. */
export function chartParts(): HtmlSafeString {
  const bars = DAYS.map((value, index) => ({
    label: `${index + 1} Nov`,
    values: [value, index % 5 === 0 ? 9 : 0, index % 9 === 0 ? 5 : 0],
    isOpen: index === DAYS.length - 1,
  }));
  return html`${figures([
    {
      name: 'Revenue',
      value: money(4_218_50, 'USD'),
      change: { words: '12.4 %', tone: 'up' },
      spark: DAYS,
      path: '/console/design',
    },
    { name: 'Customers', value: '1,406', change: { words: '64 more', tone: 'up' } },
    { name: 'Accepted', value: '99.2 %', change: { words: '2 failing now', tone: 'bad' } },
    {
      name: 'Next payout',
      value: money(1_340_20, 'USD'),
      change: 'Monday',
    },
  ])}
  ${card({
    title: 'Deliveries by day',
    facts: 'In UTC days',
    body: barChart({
      id: 'design',
      title: 'Deliveries by day',
      summary: 'Deliveries of 19 days, most of them accepted.',
      series: ['Accepted', 'Retried', 'Failing'],
      comparison: DAYS.toReversed(),
      bars,
      unit: 'Day',
    }),
    foot: 'Currencies are never added together.',
  })}`;
}

const SALES = [
  { buyer: 'Mia Sandoval', handle: 'mia', state: 'Paid', tone: 'ok', amount: 3_00 },
  { buyer: 'Bob Buyer', handle: 'bob', state: 'Refunded', tone: 'neutral', amount: -14_50 },
  { buyer: 'أمل', handle: 'amal', state: 'Disputed', tone: 'bad', amount: 123_456_789_012 },
] as const;

export function tableParts(): HtmlSafeString {
  return html`${table({
    label: 'Purchases',
    empty: 'None.',
    rows: SALES,
    total: ['Total', '', '', money(-11_50, 'USD')],
    columns: {
      Buyer: ({ buyer, handle }: (typeof SALES)[number]) =>
        html`<a href="#${handle}">${buyer}</a><br /><small>@${handle}</small>`,
      State: { cell: ({ state, tone }) => pill({ word: state, tone }), onPhone: 'state' },
      'Started (UTC)': {
        cell: () => shortInstant(new Date('2026-11-27T10:52:00Z')),
        onPhone: 'drop',
      },
      Amount: { cell: ({ amount }) => money(amount, 'USD'), isNumber: true },
    },
  })}
  ${card({
    body: factList([
      ['Paid', money(14_50, 'USD')],
      ['Access', pill({ word: 'Open', tone: 'ok', isLive: true })],
    ]),
  })}
  ${card({
    title: 'Money',
    body: sums(
      [
        ['Paid', money(14_50, 'USD')],
        ['Platform fee', money(-1_45, 'USD')],
      ],
      ['You receive', money(13_05, 'USD')],
    ),
  })}`;
}

const KEY = 'gk_test_01M8EB4T9C2VJX5R8N0W7QKD';
const NOW = new Date('2026-11-27T10:58:04Z');

const TYPESCRIPT = html`<span class="tok-c">// Branch on active alone.</span>${'\n'}<span
    class="tok-k"
    >const</span
  >
  { active } = <span class="tok-k">await</span> <span class="tok-f">ask</span>(id);`;

export function codeParts(): HtmlSafeString {
  const programs = [
    { language: 'TypeScript', text: TYPESCRIPT },
    {
      language: 'Python',
      text: 'active = ask(id)["active"]',
      after: html`<p>Save it as <code>ask.py</code> and run it.</p>`,
    },
    { language: 'JSON', text: prettyJson('{"active":true,"seats":3,"name":null,"tags":["a"]}') },
  ] as const;
  return html`${code({ id: 'example', programs })}
    <p>${copyable({ id: 'key', label: 'key', text: KEY })}</p>
    ${copyable({ id: 'line', label: 'key', text: KEY.repeat(4), isLine: true })}
    ${hiddenSecret('gk_test_', '7QKD')}
    ${steps([
      { title: 'Get a test key', state: 'done', fact: '27 Nov', content: html`<p>Done.</p>` },
      {
        title: 'Check access',
        state: 'now',
        content: html`<p>Ask whether a person has access.</p>`,
      },
      {
        title: 'Receive webhooks',
        state: 'later',
        fact: 'About 5 minutes',
        content: html`<p>Later.</p>`,
      },
    ])}
    ${timeline([
      {
        words: 'Attempt 3',
        state: 'ahead',
        at: ahead(new Date('2026-11-27T11:10:00Z'), NOW),
        more: 'Then after 2 and 12 hours',
      },
      {
        words: html`Attempt 2: <strong>500</strong> in 84 ms`,
        state: 'bad',
        at: shortInstant(NOW, NOW, 'second'),
        detail: more('Request and response', html`<p>Not connected</p>`),
      },
      { words: html`Attempt 1: <strong>204</strong> in 38 ms`, state: 'ok', at: '10:53:02' },
    ])} `;
}
