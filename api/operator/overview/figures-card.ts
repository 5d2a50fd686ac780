// The figures of all products on the operators' overview.
import { html, type HtmlSafeString } from '@prairielearn/html';
import type { OverviewDays } from '../../../domain/product-figures/overview.ts';
import type { PlatformFigures } from '../../../domain/product-figures/platform-figures.repository.ts';
import { formatMoney, groupAmount } from '../../../domain/shared/money.ts';
import { writeShortDay } from '../../../domain/shared/instant.ts';
import { barChart, chartKey } from '../../html/chart.ts';
import { writePercentage, writePlural, writeCount } from '../../html/numbers.ts';
import { segmentLinks } from '../../html/parts/choice.ts';
import { card } from '../../html/parts/card.ts';
import { changeOf, figures } from '../../html/parts/figures.ts';
import { money } from '../../html/parts/money.ts';
import { pathWith } from '../../html/parts/paging.ts';
import { table } from '../../html/table.ts';
import { chartWithTable } from '../../html/parts/beside.ts';
import { OPERATOR } from '../operator.page.ts';
import type { Failing } from '../running/failing.ts';

export type FiguresProps = { days: OverviewDays; figures: PlatformFigures; failing: Failing };

type Shown = Omit<FiguresProps, 'failing'>;

export function strip({ figures: found, failing }: FiguresProps): HtmlSafeString {
  const { revenue, customers, checks, deliveries } = found.strips;
  const troubled = failing.products.length + failing.otherProducts;
  return figures([
    {
      name: 'Sales less refunds',
      value: found.currency === null ? 'None' : money(revenue.value, found.currency),
      change: changeOf(revenue.change, writePercentage),
      spark: revenue.series,
      path: '#sales',
    },
    {
      name: 'People with access',
      value: writeCount(customers.value),
      change: changeOf(customers.change, writeCount, { up: 'more', down: 'fewer' }),
      spark: customers.series,
      path: '#sales',
    },
    {
      name: 'Access checks',
      value: writeCount(checks.value),
      change: changeOf(checks.change, writePercentage),
      spark: checks.series,
      path: '#sales',
    },
    {
      name: 'Deliveries accepted',
      value: deliveries.value === null ? 'None' : writePercentage(deliveries.value),
      change:
        troubled === 0
          ? 'No product is failing'
          : {
              words: writePlural(troubled, 'product is failing', 'products are failing'),
              tone: 'bad',
            },
      spark: deliveries.series,
      ...(troubled > 0 && { path: '#failing' }),
    },
  ]);
}

export function salesChart({ days, figures: found }: Shown): HtmlSafeString {
  const { currency } = found;
  if (currency === null) {
    return html`<div id="sales">
      ${card({
        title: 'Sales by day',
        body: html`<p class="muted">Nothing was sold in these ${days} days.</p>`,
      })}
    </div>`;
  }
  return html`<div id="sales">
    ${card({
      title: 'Sales by day',
      facts: chartKey([
        { label: 'Sales', mark: 1 },
        { label: `${days} days before`, mark: 'before' },
      ]),
      actions: currencies({ days, figures: found }),
      rows: chartWithTable(chart(found, currency), weeks(found, currency)),
      foot: 'Before the fee, less refunds, in UTC days. Summed every ten minutes. A person counts once for each product. Currencies are never added together.',
    })}
  </div>`;
}

function currencies({ days, figures: found }: Shown) {
  if (found.currencies.length < 2) return html``;
  return segmentLinks(
    'Currency',
    found.currencies.map((code) => ({
      path: `${pathWith(OPERATOR, { days: String(days), currency: code })}#sales`,
      label: code,
      isCurrent: code === found.currency,
    })),
  );
}

function chart(found: PlatformFigures, currency: string): HtmlSafeString {
  const total = formatMoney(found.total.revenueMinor, currency);
  return barChart({
    id: 'sales-by-day',
    title: 'Sales by day',
    summary: `${total} from ${writeShortDay(found.from)} to ${writeShortDay(found.to)}.`,
    series: ['Sales'],
    bars: found.days.map(({ day, revenueMinor, isToday }) => ({
      label: writeShortDay(day),
      values: [revenueMinor],
      isOpen: isToday,
    })),
    comparison: found.days.map(({ revenueBeforeMinor }) => revenueBeforeMinor),
    unit: 'Day',
    write: (value) => formatMoney(value, currency),
  });
}

const MOST_WEEKS = 5;

function weeks(found: PlatformFigures, currency: string): HtmlSafeString {
  const shown = found.weeks.slice(-MOST_WEEKS);
  const percent = (change: number | null) =>
    change === null ? '' : `${change < 0 ? '\u2212' : '+'}${writePercentage(Math.abs(change))}`;
  const isAll = shown.length === found.weeks.length;
  return table({
    label: 'Sales by week',
    isNarrow: true,
    rows: shown,
    empty: '',
    ...(isAll && {
      total: [
        'Total',
        groupAmount(found.total.revenueMinor, currency),
        percent(found.total.change),
      ],
    }),
    columns: {
      Week: ({ from, to }: (typeof shown)[number]) =>
        `${writeShortDay(from)} \u2013 ${writeShortDay(to)}`,
      [currency]: {
        cell: ({ revenueMinor }) => groupAmount(revenueMinor, currency),
        isNumber: true,
      },
      Change: { cell: ({ change }) => percent(change), isNumber: true },
    },
  });
}
