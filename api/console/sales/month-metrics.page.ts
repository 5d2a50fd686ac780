import { html, type HtmlSafeString } from '@prairielearn/html';
import { formatMoney } from '../../../domain/shared/money.ts';
import { monthOf } from '../../../domain/billing/ledger/statement.ts';
import { churnPermille, type MonthFigures } from '../../../domain/billing/reports/metrics.ts';
import type { Figures } from '../../../domain/billing/reports/metrics.query.ts';
import { barChart } from '../../html/chart.ts';
import { table } from '../../html/table.ts';
import { churnOf, writePermille } from './metric-labels.ts';

/** Revenue, churn and the numbers behind them, of each currency by itself. */
export function monthFigures({ figures, at }: Figures): HtmlSafeString {
  const currencies = [...new Set(figures.map(({ currency }) => currency))];
  const each = (show: (own: MonthFigures[], currency: string) => HtmlSafeString | '') =>
    currencies.map((currency) =>
      show(
        figures.filter((found) => found.currency === currency),
        currency,
      ),
    );
  return html`<section>
      <h3>Monthly recurring revenue</h3>
      <p>
        Monthly recurring revenue (MRR) is the price of the monthly subscriptions plus 1/12 of the
        price of the yearly subscriptions that are active at the end of a month, before the platform
        fee and refunds. Yearly prices are added up first and rounded once.
      </p>
      ${each(revenueChart)}
    </section>
    <section>
      <h3>Churn</h3>
      <p>
        Churn is the share of subscriptions that were active at the start of a month and ended in
        that month, rounded to a tenth of a percent.
      </p>
      ${each(churnChart)}
    </section>
    <section>
      <h3>Month by month</h3>
      <p>
        A subscription is active from its first payment until it ends. It stays active while a
        failed renewal is retried, and after a cancellation until the end of the billing period. A
        full refund of the current period ends it. Months are in UTC; ${monthOf(at)} is counted up
        to now.
      </p>
      ${each(monthTable)}
    </section>`;
}

function revenueChart(own: MonthFigures[], currency: string): HtmlSafeString {
  const write = (amountMinor: number) => formatMoney(amountMinor, currency);
  const last = own.at(-1)!;
  const title = `Monthly recurring revenue in ${currency}`;
  const now = `${write(last.revenueMinor)} now from ${countOf(last.activeAtEnd)}`;
  return html`<h4>${title}</h4>
    <p data-revenue="${currency}">${now}</p>
    ${
      own.every(({ revenueMinor }) => revenueMinor === 0)
        ? ''
        : barChart({
            id: `revenue-${currency.toLowerCase()}`,
            title,
            summary: `${now}, by month.`,
            series: [
              { name: 'monthly', label: 'Monthly' },
              { name: 'yearly', label: 'Yearly (1/12)' },
            ],
            bars: own.map(({ month, monthlyMinor, yearlyTwelfthMinor }) => ({
              label: month,
              values: [monthlyMinor, yearlyTwelfthMinor],
            })),
            unit: 'Month',
            write,
          })
    }`;
}

function churnChart(own: MonthFigures[], currency: string): HtmlSafeString {
  const title = `Subscription churn in ${currency}`;
  const lost = own.reduce((total, figures) => total + figures.lost, 0);
  const summary = `You lost ${countOf(lost)} in ${own.length} months.`;
  return html`<h4>${title}</h4>
    <p>${summary}</p>
    ${
      lost === 0
        ? ''
        : barChart({
            id: `churn-${currency.toLowerCase()}`,
            title,
            summary,
            series: [{ name: 'churn', label: 'Churn' }],
            bars: own.map((figures) => ({
              label: figures.month,
              values: [churnPermille(figures) ?? 0],
            })),
            unit: 'Month',
            write: (permille) => `${writePermille(permille)}%`,
          })
    }`;
}

function countOf(count: number): string {
  return count === 1 ? '1 subscription' : `${count} subscriptions`;
}

function monthTable(own: MonthFigures[], currency: string): HtmlSafeString {
  const label = `Subscriptions in ${currency}, month by month`;
  return html`<h4>${label}</h4>
    ${table({
      label,
      empty: '',
      rows: own.filter(hasAny).toReversed(),
      columns: [
        { heading: 'Month', cell: ({ month }) => month },
        { heading: 'Active at start', cell: ({ activeAtStart }) => String(activeAtStart) },
        { heading: 'Started', cell: ({ began }) => String(began) },
        { heading: 'Ended', cell: ({ ended }) => String(ended) },
        { heading: 'Active at end', cell: ({ activeAtEnd }) => String(activeAtEnd) },
        { heading: 'Churn', cell: churnOf },
        { heading: 'MRR', cell: ({ revenueMinor }) => formatMoney(revenueMinor, currency) },
      ],
    })}`;
}

function hasAny({ activeAtStart, began }: MonthFigures): boolean {
  return activeAtStart + began > 0;
}
