// The charts of a product's overview: a bar for each day, the last one still open.
import { html, type HtmlSafeString } from '@prairielearn/html';
import type { OverviewDays } from '../../../domain/product-figures/overview.ts';
import type { ProductFigures } from '../../../domain/product-figures/product-figures.query.ts';
import { formatMoney, groupAmount } from '../../../domain/shared/money.ts';
import { writeShortDay } from '../../../domain/shared/instant.ts';
import { barChart, chartKey } from '../../html/chart.ts';
import { card } from '../../html/parts/card.ts';
import { writeCount, writePercentage } from '../../html/numbers.ts';
import { table } from '../../html/table.ts';
import { chartWithTable } from '../../html/parts/beside.ts';
import { statementsPath } from '../sales/statement-labels.ts';

export type OverviewFigures = { days: OverviewDays; currency: string; figures: ProductFigures };

type Day = ProductFigures['days'][number];

export function revenueChart(slug: string, shown: OverviewFigures): HtmlSafeString {
  const { days, currency, figures } = shown;
  const { weeks, total, strips } = figures;
  if (strips.revenue.before === 0 && strips.revenue.series.every((value) => value === 0)) {
    return card({
      title: 'Revenue by day',
      body: html`<p class="hint">No sales in ${currency} in the last ${2 * days} days.</p>`,
    });
  }
  const write = (minor: number) => formatMoney(minor, currency);
  const sum = write(total.revenueMinor);
  return card({
    title: 'Revenue by day',
    facts: chartKey([
      { label: `Last ${days} days`, mark: 1 },
      { label: 'Today, so far', mark: 'open' },
      { label: `${days} days before`, mark: 'before' },
    ]),
    rows: chartWithTable(
      barChart({
        ...ofDays(figures, ({ revenueMinor }) => [revenueMinor]),
        id: 'revenue',
        title: 'Revenue by day',
        summary: `${sum} in the last ${days} days.`,
        series: ['Revenue'],
        comparison: figures.days.map(({ revenueBeforeMinor }) => revenueBeforeMinor),
        write,
      }),
      table({
        label: 'Revenue by week',
        isNarrow: true,
        rows: weeks,
        empty: '',
        columns: {
          Week: ({ from, to }: (typeof weeks)[number]) => writeSpan(from, to),
          [currency]: { isNumber: true, cell: (week) => groupAmount(week.revenueMinor, currency) },
          Change: { isNumber: true, cell: ({ change }) => writeChange(change) },
        },
        total: ['Total', groupAmount(total.revenueMinor, currency), writeChange(total.change)],
      }),
    ),
    foot: html`<span
        >Sales less refunds, before the platform fee, in days of UTC. Amounts of two currencies are
        never added.</span
      >
      <a href="${statementsPath(slug)}">Statements</a>`,
  });
}

export function customersChart({ days, figures }: OverviewFigures): HtmlSafeString {
  const { value } = figures.strips.customers;
  return card({
    title: 'Customers with access by day',
    body: drawn({
      empty: 'Nobody had access in these days.',
      ...ofDays(figures, ({ customers }) => [customers]),
      id: 'customers',
      title: 'Customers with access by day',
      summary: `${writeCount(value)} people have access now; by day of the last ${days}.`,
      series: ['Customers'],
      write: writeCount,
    }),
  });
}

export function checksChart({ days, figures }: OverviewFigures): HtmlSafeString {
  const series = ['Open', 'Locked'];
  return card({
    title: 'Access checks by day',
    facts: chartKey([
      { label: 'Open', mark: 1 },
      { label: 'Locked', mark: 5 },
    ]),
    body: drawn({
      empty: 'No server asked for access in these days.',
      ...ofDays(figures, ({ open, locked }) => [open, locked]),
      id: 'checks',
      title: 'Access checks by day',
      summary: `${writeCount(figures.strips.checks.value)} access checks in the last ${days} days.`,
      series,
      colours: [1, 5],
      hasKey: false,
      write: writeCount,
    }),
  });
}

export function deliveriesChart({ days, figures }: OverviewFigures): HtmlSafeString {
  const { value } = figures.strips.deliveries;
  return card({
    title: 'Deliveries by day',
    facts: chartKey([
      { label: 'Accepted', mark: 1 },
      { label: 'Retried', mark: 2 },
      { label: 'Failing', mark: 3 },
    ]),
    body: drawn({
      empty: 'No endpoint accepted a delivery in these days.',
      ...ofDays(figures, ({ accepted, retried, failing }) => [accepted, retried, failing]),
      id: 'deliveries',
      title: 'Deliveries by day',
      summary:
        value === null
          ? `No deliveries in the last ${days} days.`
          : `${writePercentage(value)} of the deliveries of the last ${days} days were accepted.`,
      series: ['Accepted', 'Retried', 'Failing'],
      hasKey: false,
      write: writeCount,
    }),
  });
}

/** A chart of nothing but zeros says so in words. */
function drawn({ empty, ...chart }: Parameters<typeof barChart>[0] & { empty: string }) {
  const isEmpty = chart.bars.every(({ values }) => values.every((value) => value === 0));
  return isEmpty ? html`<p class="hint">${empty}</p>` : barChart(chart);
}

function ofDays({ days }: ProductFigures, read: (day: Day) => number[]) {
  const bars = days.map((day) => ({
    label: writeShortDay(day.day),
    values: read(day),
    isOpen: day.isToday,
  }));
  return { bars, unit: 'Day' };
}

/** `31 Oct – 6 Nov`, `7 – 13 Nov`. */
function writeSpan(from: string, to: string): string {
  const isOfMonth = from.slice(0, 7) === to.slice(0, 7);
  const first = isOfMonth ? String(Number(from.slice(8))) : writeShortDay(from);
  return from === to ? writeShortDay(to) : `${first} \u2013 ${writeShortDay(to)}`;
}

function writeChange(change: number | null): HtmlSafeString | string {
  if (change === null) return '\u2013';
  const sign = change > 0 ? '+' : change < 0 ? '\u2212' : '';
  return html`<span class="${change > 0 ? 'gain' : ''}"
    >${sign}${writePercentage(Math.abs(change))}</span
  >`;
}
