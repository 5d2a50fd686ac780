import { addMonths, monthOf } from '../../../domain/shared/instant.ts';
import { writePercent } from '../../html/numbers.ts';
import { writeCsv } from '../../http/csv.ts';
import { writeAmount } from '../../../domain/shared/money.ts';
import { churnPermille, type MonthFigures } from '../../../domain/billing/reports/metrics.ts';
import type { Figures } from '../../../domain/billing/reports/metrics.query.ts';
import { productPath } from '../console-frame.ts';

export function recurringPath(slug: string): string {
  return `${productPath(slug)}/recurring`;
}

/** Writes tenths of a percent: `12.5`. */
function writePermille(permille: number): string {
  return (permille / 10).toFixed(1);
}

export function writeChurn(figures: MonthFigures): string {
  const permille = churnPermille(figures);
  return permille === null ? '–' : writePercent(permille, 1_000);
}

/** A line for each currency and month. */
export function writeFigures({ figures, at }: Figures) {
  return writeCsv([figures], {
    month: ({ month }) => month,
    counted_until_utc: ({ month }) => countedUntil(month, at).toISOString(),
    currency: ({ currency }) => currency,
    active_at_start: ({ activeAtStart }) => activeAtStart,
    began: ({ began }) => began,
    ended: ({ ended }) => ended,
    ended_of_active_at_start: ({ lost }) => lost,
    churn_percent: (month) => {
      const permille = churnPermille(month);
      return permille === null ? null : { exact: writePermille(permille) };
    },
    active_at_end: ({ activeAtEnd }) => activeAtEnd,
    mrr: ({ revenueMinor, currency }) => ({ exact: writeAmount(revenueMinor, currency) }),
    mrr_minor: ({ revenueMinor }) => revenueMinor,
    mrr_of_monthly_minor: ({ monthlyMinor }) => monthlyMinor,
    mrr_of_yearly_minor: ({ yearlyTwelfthMinor }) => yearlyTwelfthMinor,
  });
}

/** The end of a month that is over. */
function countedUntil(month: string, at: Date): Date {
  return month === monthOf(at) ? at : addMonths(new Date(`${month}-01T00:00:00Z`), 1);
}
