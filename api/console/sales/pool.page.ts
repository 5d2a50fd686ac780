import { html, type HtmlSafeString } from '@prairielearn/html';
import { csvButtons } from '../../html/csv-links.ts';
import { formatMoney } from '../../../domain/shared/money.ts';
import type { ProductPeriod } from '../../../domain/pool/payout-lines/product-periods.repository.ts';
import { decideMonth, monthsUpTo } from '../../../domain/billing/ledger/seller-statement.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { writeMonth } from '../../../domain/shared/instant.ts';
import { barChart } from '../../html/chart.ts';
import { emptyState } from '../../html/parts/empty-state.ts';
import { card } from '../../html/parts/card.ts';
import { figures } from '../../html/parts/figures.ts';
import { pill } from '../../html/parts/pill.ts';
import { table } from '../../html/table.ts';
import { writeCount as count, addUp } from '../../html/numbers.ts';
import type { View } from '../../http/route.ts';
import { POOL_GUIDE } from '../../html/guide-links.ts';
import { halves } from '../../html/parts/beside.ts';
import { productFrame, productPath, type FramedProduct } from '../console-frame.ts';
import { linePill, moneyOrDash, poolPath, sumLines } from './pool-labels.ts';

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
  const isEmpty = periods.length === 0 && before === null;
  return {
    title: `Member and pool of ${product.name}`,
    ...productFrame(product, '/pool', 'Member and pool', {
      state: product.includedWithMember
        ? pill({ word: 'Included', tone: 'ok', isLive: true })
        : pill({ word: 'Not included', tone: 'neutral' }),
      actions: periods.length === 0 ? '' : csvButtons(`${path}/lines.csv`),
    }),
    content: isEmpty
      ? empty(product)
      : html`
          <p>
            What the fees of Members gave to this product, month by month.
            <a href="${POOL_GUIDE}">How the pool works</a>
          </p>
          ${latest(periods, path)} ${list(props, path)}
          ${halves(html` ${currencies.map((currency) => chart(currency, { periods, now }))} `)}
          <p class="muted">
            <small>
              Months are in UTC. A month is frozen 72 hours after its end and then reviewed. Its
              amounts are shown once it is approved, and never change: what comes later is a
              correction in a later month.
            </small>
          </p>
        `,
  };
}

function empty({ slug, includedWithMember }: Props['product']): HtmlSafeString {
  return html`<div data-pool="none">
    ${
      includedWithMember
        ? emptyState({
            title: 'No months yet',
            sentence: 'No month in which Members used this product has been computed yet.',
            link: { path: POOL_GUIDE, label: 'How the pool works' },
          })
        : emptyState({
            title: 'Not included with Member',
            sentence: 'Only products that are included with Member take part.',
            link: { path: `${productPath(slug)}/selling#member`, label: 'Include this product' },
          })
    }
  </div>`;
}

/** The last approved month of each currency. */
function latest(periods: ProductPeriod[], path: string): HtmlSafeString | '' {
  const found = periods.find(({ isApproved }) => isApproved);
  if (found === undefined) return '';
  const own = periods.filter(({ month, isApproved }) => month === found.month && isApproved);
  const href = `${path}/${found.month}`;
  const days = addUp(own, ({ lines }) => sumDays(lines));
  return figures([
    {
      name: `Amount, ${writeMonth(found.month)}`,
      value: html`${own.map(
        (period) => html`<div>${moneyOrDash(sumLines(period, false), period.currency)}</div>`,
      )}`,
      path: href,
    },
    { name: 'Qualified days of Members', value: count(days), path: href },
  ]);
}

function sumDays(lines: ProductPeriod['lines']): number {
  return addUp(lines, (line) => (line.isCorrection ? 0 : line.qualifiedDays));
}

function list({ periods, before, next }: Props, path: string): HtmlSafeString {
  return card({
    title: 'Month by month',
    rows: table({
      label: 'Creator pool by month and currency',
      empty: 'No further months.',
      rows: periods,
      columns: {
        Month: ({ month, currency }) =>
          html`<a href="${path}/${month}#${currency.toLowerCase()}"
            >${writeMonth(month, 'short')}</a
          >`,
        Payout: { cell: states, onPhone: 'state' },
        Days: { cell: (period) => ownFigure(period, (line) => line.qualifiedDays), isNumber: true },
        People: {
          cell: (period) => ownFigure(period, ({ money }) => money?.members ?? null),
          isNumber: true,
        },
        Corrections: {
          cell: (period) => moneyOrDash(sumLines(period, true), period.currency),
          isNumber: true,
        },
        Amount: {
          cell: (period) => {
            const sum = sumLines(period, false);
            return sum === null ? `– ${period.currency}` : moneyOrDash(sum, period.currency);
          },
          isNumber: true,
        },
      },
      pages: { path, before, next },
    }),
  });
}

type Line = ProductPeriod['lines'][number];

/** A figure of the period's own line. */
function ownFigure({ lines }: ProductPeriod, figure: (line: Line) => number | null): string {
  const own = lines.find(({ isCorrection }) => !isCorrection);
  const value = own ? figure(own) : null;
  return value === null ? '–' : count(value);
}

function states({ lines }: ProductPeriod): HtmlSafeString {
  return html`${[...new Set(lines.map(({ state }) => state))].map((state) => linePill(state))}`;
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
    return { label: writeMonth(label, 'short'), values };
  });
  const total = addUp(bars, ({ values }) => values[0]! + values[1]!);
  const title = `${SHOWN_MONTHS} months in ${currency}`;
  const all = formatMoney(total, currency);
  return card({
    title,
    facts: `${all} in all`,
    body: barChart({
      id: `pool-${currency.toLowerCase()}`,
      title,
      summary: `${all} in all, with corrections.`,
      series: ['Amount of the month', 'Corrections of earlier months'],
      bars,
      unit: 'Month',
      write: (amountMinor) => formatMoney(amountMinor, currency),
    }),
  });
}
