import { html, type HtmlSafeString } from '@prairielearn/html';
import { formatMoney } from '../../../domain/shared/money.ts';
import type { RenewalsAhead } from '../../../domain/billing/reports/metrics.repository.ts';
import type { Due } from '../../../domain/billing/reports/renewals-ahead.ts';
import { barChart } from '../../html/chart.ts';

/** What is charged next, and what is tried again. */
export function renewalsAhead({ ahead, failing }: RenewalsAhead): HtmlSafeString {
  return html`<section>
    <h3>Renewals ahead</h3>
    <p>
      What is charged if everything that runs now goes on: active subscriptions, each on the day on
      which what was paid for ends, and again after each of its months or years. Cancelled ones are
      not among it, nor is anybody who is yet to come.
    </p>
    ${ahead.length === 0 ? html`<p class="muted">Nothing is due.</p>` : ''}
    ${ahead.map(
      ({ currency, weeks, months: ahead }) =>
        html`${dueChart('Week from', { currency, spans: weeks })}
        ${dueChart('Month', { currency, spans: ahead })}`,
    )}
    ${failing.map(
      ({ currency, count, sumMinor }) =>
        html`<p data-failing="${currency}">
          Not among it: ${count} failed ${count === 1 ? 'charge' : 'charges'} of
          ${formatMoney(sumMinor, currency)} in all, tried again while the grace lasts.
        </p>`,
    )}
  </section>`;
}

function dueChart(
  unit: 'Week from' | 'Month',
  { currency, spans }: { currency: string; spans: Due[] },
): HtmlSafeString {
  const name = unit === 'Month' ? 'months' : 'weeks';
  const write = (amountMinor: number) => formatMoney(amountMinor, currency);
  const sum = spans.reduce((total, due) => total + due.monthlyMinor + due.yearlyMinor, 0);
  const count = spans.reduce((total, due) => total + due.count, 0);
  const title = `Due in the next ${spans.length} ${name} in ${currency}`;
  const charges = `${count} ${count === 1 ? 'charge' : 'charges'}, ${write(sum)}`;
  return html`<h4>${title}</h4>
    <p>${count === 0 ? 'Nothing.' : charges}</p>
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
