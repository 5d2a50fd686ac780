import { html, type HtmlSafeString } from '@prairielearn/html';
import { csvLinks } from '../../html/csv-links.ts';
import { formatMoney } from '../../../domain/shared/money.ts';
import type { ProductPeriod } from '../../../domain/pool/payout-lines/product-periods.repository.ts';
import { decideMonth, monthsUpTo } from '../../../domain/billing/ledger/seller-statement.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { barChart } from '../../html/chart.ts';
import { table } from '../../html/table.ts';
import { writeCount as count } from '../../html/status-labels.ts';
import type { View } from '../../http/route.ts';
import { POOL_GUIDE } from '../../html/guide-links.ts';
import { productFrame, productPath, type FramedProduct } from '../console-frame.ts';
import { poolPath, STATE_WORDS, sumLines, writeMoney } from './pool-labels.ts';

const SHOWN_MONTHS = 12;

type Props = {
  product: FramedProduct & { includedWithMember: boolean };
  periods: ProductPeriod[];
  before: string | null;
  next: string | null;
  now: Date;
};

export function poolPage(props: Props): View {
  const { product, periods, before, now } = props;
  const path = poolPath(product.slug);
  const currencies = [...new Set(periods.map(({ currency }) => currency))].toSorted();
  return {
    title: `Creator pool of ${product.name}`,
    ...productFrame(product, '/pool', 'Creator pool'),
    content: html`
      <p>
        What the fees of Members gave to this product, month by month.
        <a href="${POOL_GUIDE}">How the pool works</a>
      </p>
      ${periods.length === 0 && before === null ? empty(product) : list(props, path)}
      ${periods.length === 0 ? '' : csvLinks(`${path}/lines.csv`, 'Download all months as CSV')}
      ${currencies.map((currency) => chart(currency, { periods, now }))}
      <p class="muted">
        <small>
          Months are in UTC. A month is frozen 72 hours after its end and then reviewed. Its amounts
          are shown once it is approved, and never change: what comes later is a correction in a
          later month.
        </small>
      </p>
    `,
  };
}

function empty({ slug, includedWithMember }: Props['product']): HtmlSafeString {
  return html`<p class="muted" data-pool="none">
    ${
      includedWithMember
        ? 'No month in which Members used this product has been computed yet.'
        : html`Only products that are included with Member take part.
            <a href="${productPath(slug)}/selling">Include this product</a>`
    }
  </p>`;
}

function list({ periods, before, next }: Props, path: string): HtmlSafeString {
  return table({
    label: 'Creator pool by month and currency',
    empty: 'No further months.',
    rows: periods,
    columns: {
      Month: ({ month, currency }) =>
        html`<a href="${path}/${month}#${currency.toLowerCase()}">${month}</a>`,
      Currency: ({ currency }) => currency,
      Amount: (period) => writeMoney(sumLines(period, false), period.currency),
      Corrections: (period) => writeMoney(sumLines(period, true), period.currency),
      Days: (period) => ownFigure(period, ({ qualifiedDays }) => qualifiedDays),
      People: (period) => ownFigure(period, ({ money }) => money?.members ?? null),
      Payout: states,
    },
    pages: { path, before, next },
  });
}

type Line = ProductPeriod['lines'][number];

/** A figure of the period's own line. */
function ownFigure({ lines }: ProductPeriod, figure: (line: Line) => number | null): string {
  const own = lines.find(({ isCorrection }) => !isCorrection);
  const value = own ? figure(own) : null;
  return value === null ? '-' : count(value);
}

function states({ lines }: ProductPeriod): string {
  return [...new Set(lines.map(({ state }) => STATE_WORDS[state]))].join('; ');
}

/** A year of approved months up to the latest one that is shown. */
function chart(
  currency: string,
  { periods, now }: Pick<Props, 'periods' | 'now'>,
): HtmlSafeString | '' {
  const found = periods.filter((period) => period.currency === currency && period.isApproved);
  const last = decideMonth(found[0]?.month ?? '', now);
  if (isRefusal(last)) return '';
  const byMonth = new Map(found.map((period) => [period.month, period]));
  const bars = monthsUpTo(last, SHOWN_MONTHS).map((label) => {
    const period = byMonth.get(label);
    const values = [false, true].map((isCorrection) =>
      period ? (sumLines(period, isCorrection) ?? 0) : 0,
    );
    return { label, values };
  });
  const total = bars.reduce((sum, { values }) => sum + values[0]! + values[1]!, 0);
  const title = `${SHOWN_MONTHS} months in ${currency}`;
  return html`<section>
    <h2>${title}</h2>
    ${barChart({
      id: `pool-${currency.toLowerCase()}`,
      title,
      summary: `${formatMoney(total, currency)} in all, with corrections.`,
      series: ['Amount of the month', 'Corrections of earlier months'],
      bars,
      unit: 'Month',
      write: (amountMinor) => formatMoney(amountMinor, currency),
    })}
  </section>`;
}
