import { monthOf } from '../../../domain/shared/instant.ts';
import { html, type HtmlSafeString } from '@prairielearn/html';
import { csvLinks } from '../../html/csv-links.ts';
import type { Figures, RenewalsAhead } from '../../../domain/billing/reports/metrics.query.ts';
import type { View } from '../../http/route.ts';
import { productFrame, productPath, type FramedProduct } from '../console-frame.ts';
import { recurringPath, writeChurn, writePermille } from './metric-labels.ts';
import { formatMoney } from '../../../domain/shared/money.ts';
import type { Due } from '../../../domain/billing/reports/renewals-ahead.ts';
import { barChart } from '../../html/chart.ts';
import { churnPermille, type MonthFigures } from '../../../domain/billing/reports/metrics.ts';
import { table } from '../../html/table.ts';

type Props = Figures & RenewalsAhead & { product: FramedProduct };

export function recurringPage(props: Props): View {
  const { product, figures, ahead, failing } = props;
  const isEmpty = figures.length + ahead.length + failing.length === 0;
  return {
    title: `Recurring revenue of ${product.name}`,
    ...productFrame(product, '/recurring', 'Recurring revenue'),
    content: html`
      ${isEmpty ? nothing(product) : html`${renewalsAhead(props)} ${monthFigures(props)}`}
      ${csvLinks(`${recurringPath(product.slug)}/months.csv`, 'Download five years as CSV')}
    `,
  };
}

function nothing({ slug }: FramedProduct): HtmlSafeString {
  return html`<p>
    No subscriptions were active in the last twelve months. To sell subscriptions, set a monthly or
    yearly price under <a href="${productPath(slug)}/prices">Prices</a>.
  </p>`;
}

/** The upcoming charges and the retries. */
function renewalsAhead({ ahead, failing }: RenewalsAhead): HtmlSafeString {
  return html`<section>
    <h2>Upcoming renewals</h2>
    <p>Expected renewals from current subscriptions. Cancelled subscriptions are not included.</p>
    ${ahead.length === 0 ? html`<p class="muted">No renewals due.</p>` : ''}
    ${ahead.map(
      ({ currency, weeks, months: ahead }) =>
        html`${dueChart('Week starting', { currency, spans: weeks })}
        ${dueChart('Month', { currency, spans: ahead })}`,
    )}
    ${failing.map(
      ({ currency, count, sumMinor }) =>
        html`<p data-failing="${currency}">
          This does not include ${count === 1 ? '1 failed charge' : `${count} failed charges`}
          (${formatMoney(sumMinor, currency)} in total). We retry until the grace period ends.
        </p>`,
    )}
  </section>`;
}

function dueChart(
  unit: 'Week starting' | 'Month',
  { currency, spans }: { currency: string; spans: Due[] },
): HtmlSafeString {
  const name = unit === 'Month' ? 'months' : 'weeks';
  const write = (amountMinor: number) => formatMoney(amountMinor, currency);
  const sum = spans.reduce((total, due) => total + due.monthlyMinor + due.yearlyMinor, 0);
  const count = spans.reduce((total, due) => total + due.count, 0);
  const title = `Due in the next ${spans.length} ${name} in ${currency}`;
  const charges = `${count} ${count === 1 ? 'charge' : 'charges'}, ${write(sum)}`;
  return html`<h3>${title}</h3>
    <p>${count === 0 ? 'No renewals due.' : charges}</p>
    ${
      count === 0
        ? ''
        : barChart({
            id: `due-${name}-${currency.toLowerCase()}`,
            title,
            summary: `${charges}.`,
            series: ['Monthly', 'Yearly'],
            bars: spans.map(({ label, monthlyMinor, yearlyMinor }) => ({
              label,
              values: [monthlyMinor, yearlyMinor],
            })),
            unit,
            write,
          })
    }`;
}

/** Revenue, churn and the numbers behind them, of each currency by itself. */
function monthFigures({ figures, at }: Figures): HtmlSafeString {
  const currencies = [...new Set(figures.map(({ currency }) => currency))];
  const each = (show: (own: MonthFigures[], currency: string) => HtmlSafeString | '') =>
    currencies.map((currency) =>
      show(
        figures.filter((found) => found.currency === currency),
        currency,
      ),
    );
  return html`<section>
      <h2>Monthly recurring revenue</h2>
      <p>
        Monthly recurring revenue (MRR) is the price of the monthly subscriptions plus 1/12 of the
        price of the yearly subscriptions that are active at the end of a month, before the platform
        fee and refunds. Yearly prices are added up first and rounded once.
      </p>
      ${each(revenueChart)}
    </section>
    <section>
      <h2>Churn</h2>
      <p>
        Churn is the share of subscriptions that were active at the start of a month and ended in
        that month, rounded to a tenth of a percent.
      </p>
      ${each(churnChart)}
    </section>
    <section>
      <h2>Month by month</h2>
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
  const now = `${write(last.revenueMinor)} now from ${countSubscriptions(last.activeAtEnd)}`;
  return html`<h3>${title}</h3>
    <p data-revenue="${currency}">${now}</p>
    ${
      own.every(({ revenueMinor }) => revenueMinor === 0)
        ? ''
        : barChart({
            id: `revenue-${currency.toLowerCase()}`,
            title,
            summary: `${now}, by month.`,
            series: ['Monthly', 'Yearly (1/12)'],
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
  const summary = `You lost ${countSubscriptions(lost)} in ${own.length} months.`;
  return html`<h3>${title}</h3>
    <p>${summary}</p>
    ${
      lost === 0
        ? ''
        : barChart({
            id: `churn-${currency.toLowerCase()}`,
            title,
            summary,
            series: ['Churn'],
            bars: own.map((figures) => ({
              label: figures.month,
              values: [churnPermille(figures) ?? 0],
            })),
            unit: 'Month',
            write: (permille) => `${writePermille(permille)}%`,
          })
    }`;
}

function countSubscriptions(count: number): string {
  return count === 1 ? '1 subscription' : `${count} subscriptions`;
}

function monthTable(own: MonthFigures[], currency: string): HtmlSafeString {
  const label = `Subscriptions in ${currency}, month by month`;
  return html`<h3>${label}</h3>
    ${table({
      label,
      empty: '',
      rows: own.filter(hasAny).toReversed(),
      columns: {
        Month: ({ month }) => month,
        'Active at start': ({ activeAtStart }) => String(activeAtStart),
        Started: ({ began }) => String(began),
        Ended: ({ ended }) => String(ended),
        'Active at end': ({ activeAtEnd }) => String(activeAtEnd),
        Churn: writeChurn,
        MRR: ({ revenueMinor }) => formatMoney(revenueMinor, currency),
      },
    })}`;
}

function hasAny({ activeAtStart, began }: MonthFigures): boolean {
  return activeAtStart + began > 0;
}
