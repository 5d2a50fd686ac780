import { monthOf, writeMonth } from '../../../domain/shared/instant.ts';
import { html, type HtmlSafeString } from '@prairielearn/html';
import type { Figures, RenewalsAhead } from '../../../domain/billing/reports/metrics.query.ts';
import type { View } from '../../http/route.ts';
import { csvButtons } from '../../html/csv-links.ts';
import { addUp, writePercent, writePlural, writeCount } from '../../html/numbers.ts';
import { emptyState } from '../../html/parts/empty-state.ts';
import { productFrame, productPath, type FramedProduct } from '../console-frame.ts';
import { recurringPath, writeChurn } from './metric-labels.ts';
import { formatMoney } from '../../../domain/shared/money.ts';
import type { Ahead, Due } from '../../../domain/billing/reports/renewals-ahead.ts';
import { barChart } from '../../html/chart.ts';
import { churnPermille, type MonthFigures } from '../../../domain/billing/reports/metrics.ts';
import { card } from '../../html/parts/card.ts';
import { changeOf, figures, type Figure } from '../../html/parts/figures.ts';
import { money } from '../../html/parts/money.ts';
import { note } from '../../html/parts/note.ts';
import { table } from '../../html/table.ts';
import { halves } from '../../html/parts/beside.ts';

type Props = Figures & RenewalsAhead & { product: FramedProduct };

export function recurringPage(props: Props): View {
  const { product, figures: months, ahead, failing } = props;
  const isEmpty = months.length + ahead.length + failing.length === 0;
  const currencies = [...new Set([...months, ...ahead, ...failing].map((each) => each.currency))];
  const actions = csvButtons(`${recurringPath(product.slug)}/months.csv`);
  return {
    title: `Recurring revenue of ${product.name}`,
    ...productFrame(product, '/recurring', 'Recurring revenue', { actions }),
    content: isEmpty
      ? nothing(product)
      : html`${currencies.map((currency) => ofCurrency(currency, props))}`,
  };
}

function nothing({ slug }: FramedProduct): HtmlSafeString {
  return emptyState({
    title: 'No recurring revenue yet',
    sentence:
      'No subscriptions were active in the last twelve months. Subscriptions have a monthly or yearly price.',
    link: { path: `${productPath(slug)}/prices?kind=monthly#editor`, label: 'Set a monthly price' },
  });
}

/** All that is in one currency: amounts of two are never added. */
function ofCurrency(currency: string, { figures: all, at, ahead, failing }: Props) {
  const own = all.filter((found) => found.currency === currency);
  const due = ahead.find((found) => found.currency === currency);
  return html`<section data-currency="${currency}">
    ${all.every((found) => found.currency === currency) ? '' : html`<h2>${currency}</h2>`}
    ${own.length === 0 ? '' : figures(headline(own, due))}
    ${failing.filter((found) => found.currency === currency).map(failed)}
    ${own.length === 0 ? '' : revenueChart(own, currency)} ${due === undefined ? '' : dues(due)}
    ${own.length === 0 ? '' : html`${churnChart(own, currency)} ${monthTable(own, { currency, at })}`}
  </section>`;
}

const THAN_LAST_MONTH = { up: 'more than last month', down: 'less than last month' };

function headline(own: MonthFigures[], due: Ahead | undefined): Figure[] {
  const [before, last] = [own.at(-2), own.at(-1)!];
  const { currency, revenueMinor, activeAtEnd } = last;
  const weeks = due?.weeks ?? [];
  return [
    {
      name: 'Monthly recurring revenue',
      value: money(revenueMinor, currency),
      spark: own.map((month) => month.revenueMinor),
      change: changeOf(
        before === undefined ? null : revenueMinor - before.revenueMinor,
        (by) => formatMoney(by, currency),
        THAN_LAST_MONTH,
      ),
    },
    {
      name: 'Active subscriptions',
      value: writeCount(activeAtEnd),
      spark: own.map((month) => month.activeAtEnd),
      change: changeOf(
        before === undefined ? null : activeAtEnd - before.activeAtEnd,
        writeCount,
        THAN_LAST_MONTH,
      ),
    },
    {
      name: 'Churn this month',
      value: writeChurn(last),
      ...(before !== undefined &&
        before.activeAtStart > 0 && {
          change: `${writeChurn(before)} last month`,
        }),
    },
    {
      name: `Due in ${weeks.length || 4} weeks`,
      value: money(sumOf(weeks), currency),
      change: chargesOf(weeks),
    },
  ];
}

function failed({ currency, count, sumMinor }: RenewalsAhead['failing'][number]) {
  const charges = writePlural(count, 'failed charge');
  return html`<div data-failing="${currency}">
    ${note({
      tone: 'warn',
      sentence: `${charges} (${formatMoney(sumMinor, currency)} in total)`,
      more: `${count === 1 ? 'is' : 'are'} retried until the grace period ends. What is due leaves ${count === 1 ? 'it' : 'them'} out.`,
    })}
  </div>`;
}

function revenueChart(own: MonthFigures[], currency: string): HtmlSafeString {
  const write = (amountMinor: number) => formatMoney(amountMinor, currency);
  const last = own.at(-1)!;
  const title = `Monthly recurring revenue in ${currency}`;
  const now = `${write(last.revenueMinor)} now from ${writePlural(last.activeAtEnd, 'subscription')}`;
  return card({
    title,
    facts: html`<p data-revenue="${currency}">${now}</p>`,
    body: own.every(({ revenueMinor }) => revenueMinor === 0)
      ? html`<p class="muted">Nothing recurs at the moment.</p>`
      : barChart({
          id: `revenue-${currency.toLowerCase()}`,
          title,
          summary: `${now}, by month.`,
          series: ['Monthly', 'Yearly (1/12)'],
          bars: own.map(({ month, monthlyMinor, yearlyTwelfthMinor }, index) => ({
            label: writeMonth(month, 'short'),
            values: [monthlyMinor, yearlyTwelfthMinor],
            isOpen: index === own.length - 1,
          })),
          unit: 'Month',
          write,
        }),
    foot: 'The price of monthly subscriptions plus 1/12 of the price of yearly ones that are active at the end of a month, before the platform fee and refunds.',
  });
}

function dues({ currency, weeks, months }: Ahead): HtmlSafeString {
  return halves(html`
    ${dueChart('Week starting', { currency, spans: weeks })}
    ${dueChart('Month', { currency, spans: months })}
  `);
}

function dueChart(
  unit: 'Week starting' | 'Month',
  { currency, spans }: { currency: string; spans: Due[] },
): HtmlSafeString {
  const name = unit === 'Month' ? 'months' : 'weeks';
  const title = `Due in ${spans.length} ${name}`;
  const count = addUp(spans, (due) => due.count);
  const charges = `${chargesOf(spans)}, ${formatMoney(sumOf(spans), currency)}`;
  return card({
    title,
    facts: count === 0 ? '' : charges,
    body:
      count === 0
        ? html`<p class="muted">No renewals due.</p>`
        : barChart({
            id: `due-${name}-${currency.toLowerCase()}`,
            title: `${title} in ${currency}`,
            summary: `${charges}.`,
            series: ['Monthly', 'Yearly'],
            bars: spans.map(({ label, monthlyMinor, yearlyMinor }) => ({
              label: unit === 'Month' ? writeMonth(label, 'short') : label.slice(5),
              values: [monthlyMinor, yearlyMinor],
            })),
            unit,
            write: (amountMinor) => formatMoney(amountMinor, currency),
          }),
    foot: 'Expected from current subscriptions, without cancelled ones.',
  });
}

function churnChart(own: MonthFigures[], currency: string): HtmlSafeString | '' {
  const title = `Subscription churn in ${currency}`;
  const lost = addUp(own, (month) => month.lost);
  if (lost === 0) return '';
  const summary = `You lost ${writePlural(lost, 'subscription')} in ${own.length} months`;
  return card({
    title,
    facts: summary,
    body: barChart({
      id: `churn-${currency.toLowerCase()}`,
      title,
      summary: `${summary}.`,
      series: ['Churn'],
      bars: own.map((month) => ({
        label: writeMonth(month.month, 'short'),
        values: [churnPermille(month) ?? 0],
      })),
      unit: 'Month',
      write: (permille) => writePercent(permille, 1_000),
    }),
    foot: 'The share of subscriptions that were active at the start of a month and ended in that month.',
  });
}

function monthTable(own: MonthFigures[], { currency, at }: { currency: string; at: Date }) {
  const count = (of: (month: MonthFigures) => number) => ({
    cell: (month: MonthFigures) => writeCount(of(month)),
    isNumber: true,
  });
  return card({
    title: 'Month by month',
    facts: `In UTC, ${writeMonth(monthOf(at), 'short')} up to now`,
    rows: table({
      label: `Subscriptions in ${currency}, month by month`,
      empty: '',
      rows: own.filter(hasAny).toReversed(),
      columns: {
        Month: ({ month }) => writeMonth(month, 'short'),
        'Active at start': count(({ activeAtStart }) => activeAtStart),
        Started: count(({ began }) => began),
        Ended: count(({ ended }) => ended),
        'Active at end': count(({ activeAtEnd }) => activeAtEnd),
        Churn: { cell: writeChurn, isNumber: true },
        MRR: { cell: ({ revenueMinor }) => money(revenueMinor, currency), isNumber: true },
      },
    }),
    foot: 'A subscription is active from its first payment until it ends: also while a failed renewal is retried, and after a cancellation until the paid period ends. A full refund of the current period ends it.',
  });
}

function sumOf(spans: readonly Due[]): number {
  return addUp(spans, (due) => due.monthlyMinor + due.yearlyMinor);
}

function chargesOf(spans: readonly Due[]): string {
  return writePlural(
    addUp(spans, (due) => due.count),
    'charge',
  );
}

function hasAny({ activeAtStart, began }: MonthFigures): boolean {
  return activeAtStart + began > 0;
}
