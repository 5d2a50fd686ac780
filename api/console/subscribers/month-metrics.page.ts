import { html, type HtmlSafeString } from '@prairielearn/html';
import { formatMoney } from '../../../domain/shared/money.ts';
import { monthOf } from '../../../domain/billing/ledger/statement.ts';
import { churnPermille, type MonthFigures } from '../../../domain/billing/reports/metrics.ts';
import type { Figures } from '../../../domain/billing/reports/metrics.repository.ts';
import { barChart } from '../../html/chart.ts';
import { table } from '../../html/table.ts';
import { churnOf, writePermille } from './metric-words.ts';

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
        What the subscriptions that are active at the end of a month pay for a month: the amount of
        a monthly one, and a twelfth of the amount of a yearly one. The yearly amounts of a currency
        are added up first and rounded once, half a minor unit up. It is before the platform's cut
        and before refunds.
      </p>
      ${each(revenueChart)}
    </section>
    <section>
      <h3>Churn</h3>
      <p>
        Of the subscriptions that were active when a month began, how many ended in it; rounded to a
        tenth of a percent, half of one up. One that began and ended in the same month is not among
        them.
      </p>
      ${each(churnChart)}
    </section>
    <section>
      <h3>Month by month</h3>
      <p>
        A subscription is active from its first payment to its end: also while a failed renewal is
        tried again, and after it was cancelled until what is paid for is over. One whose current
        period is refunded in full ends with that. Months are of UTC; ${monthOf(at)} is counted
        until now.
      </p>
      ${each(monthTable)}
    </section>`;
}

function revenueChart(own: MonthFigures[], currency: string): HtmlSafeString {
  const write = (amountMinor: number) => formatMoney(amountMinor, currency);
  const last = own.at(-1)!;
  const title = `Monthly recurring revenue in ${currency}`;
  const now = `${write(last.revenueMinor)} now, of ${last.activeAtEnd} active`;
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
              { name: 'yearly', label: 'Yearly, a twelfth' },
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
  const title = `Churn of subscriptions in ${currency}`;
  const lost = own.reduce((total, figures) => total + figures.lost, 0);
  const summary = lost === 0 ? 'None was lost.' : `${lost} lost in ${own.length} months.`;
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
            write: (permille) => `${writePermille(permille)} %`,
          })
    }`;
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
        { heading: 'At its start', cell: ({ activeAtStart }) => String(activeAtStart) },
        { heading: 'Began', cell: ({ began }) => String(began) },
        { heading: 'Ended', cell: ({ ended }) => String(ended) },
        { heading: 'At its end', cell: ({ activeAtEnd }) => String(activeAtEnd) },
        { heading: 'Churn', cell: churnOf },
        { heading: 'Revenue', cell: ({ revenueMinor }) => formatMoney(revenueMinor, currency) },
      ],
    })}`;
}

function hasAny({ activeAtStart, began }: MonthFigures): boolean {
  return activeAtStart + began > 0;
}
