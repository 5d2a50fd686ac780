import { html, type HtmlSafeString } from '@prairielearn/html';
import { formatMoney } from '../../../domain/shared/money.ts';
import type { RenewalsAhead } from '../../../domain/billing/reports/metrics.query.ts';
import type { Due } from '../../../domain/billing/reports/renewals-ahead.ts';
import { barChart } from '../../html/chart.ts';

/** The upcoming charges and the retries. */
export function renewalsAhead({ ahead, failing }: RenewalsAhead): HtmlSafeString {
  return html`<section>
    <h3>Upcoming renewals</h3>
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
  return html`<h4>${title}</h4>
    <p>${count === 0 ? 'No renewals due.' : charges}</p>
    ${
      count === 0
        ? ''
        : barChart({
            id: `due-${name}-${currency.toLowerCase()}`,
            title,
            summary: `${charges}.`,
            series: [
              { name: 'monthly', label: 'Monthly' },
              { name: 'yearly', label: 'Yearly' },
            ],
            bars: spans.map(({ label, monthlyMinor, yearlyMinor }) => ({
              label,
              values: [monthlyMinor, yearlyMinor],
            })),
            unit,
            write,
          })
    }`;
}
