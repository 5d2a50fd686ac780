import { addMonths, monthOf } from '../../../domain/shared/instant.ts';
import { writeCsv, type Cell } from '../../http/csv.ts';
import { writeAmount } from '../../../domain/shared/money.ts';
import { churnPermille, type MonthFigures } from '../../../domain/billing/reports/metrics.ts';
import type { Figures } from '../../../domain/billing/reports/metrics.query.ts';
import { productPath } from '../console-frame.ts';

export function recurringPath(slug: string): string {
  return `${productPath(slug)}/recurring`;
}

/** Writes tenths of a percent: `12.5`. */
export function writePermille(permille: number): string {
  return (permille / 10).toFixed(1);
}

export function writeChurn(figures: MonthFigures): string {
  const permille = churnPermille(figures);
  return permille === null ? '-' : `${writePermille(permille)}%`;
}

const COLUMNS = [
  'month',
  'counted_until_utc',
  'currency',
  'active_at_start',
  'began',
  'ended',
  'ended_of_active_at_start',
  'churn_percent',
  'active_at_end',
  'mrr',
  'mrr_minor',
  'mrr_of_monthly_minor',
  'mrr_of_yearly_minor',
];

/** A line for each currency and month. */
export function writeFigures({ figures, at }: Figures): AsyncGenerator<string> {
  return writeCsv([figures], { head: COLUMNS, line: (month) => toCells(month, at) });
}

function toCells(figures: MonthFigures, at: Date): Cell[] {
  const { month, currency, revenueMinor } = figures;
  const permille = churnPermille(figures);
  return [
    month,
    countedUntil(month, at).toISOString(),
    currency,
    figures.activeAtStart,
    figures.began,
    figures.ended,
    figures.lost,
    permille === null ? null : { exact: writePermille(permille) },
    figures.activeAtEnd,
    { exact: writeAmount(revenueMinor, currency) },
    revenueMinor,
    figures.monthlyMinor,
    figures.yearlyTwelfthMinor,
  ];
}

/** The end of a month that is over. */
function countedUntil(month: string, at: Date): Date {
  return month === monthOf(at) ? at : addMonths(new Date(`${month}-01T00:00:00Z`), 1);
}
