// The figures of many products beside each other: those of the last 28 days and of as many before.
import type { FigureKind } from './figure-kind.ts';
import { changeInPercent, composeOverview, findLastDay, type Figure } from './overview.ts';

export const HOME_DAYS = 28;

export type Revenue = {
  currency: string;
  valueMinor: number;
  beforeMinor: number;
  /** Is null where nothing can be compared; else a percentage. */
  change: number | null;
  /** The amounts of the days, the oldest first. */
  series: number[];
};

type People = { value: number; change: number };

export type ProductSummary = {
  /** One entry for each currency, the largest amount first; amounts of two are never added. */
  revenue: Revenue[];
  customers: People;
  /** The percentage of deliveries that were accepted; null where there were none. */
  accepted: number | null;
};

export type SummedFigure = Figure & { productId: string; currency: string };

const MONEY: readonly FigureKind[] = ['sales', 'refunds'];

/** Composes the summaries by product. All end with the last day that was summed of any. */
export function summariseProducts(
  figures: readonly SummedFigure[],
  today: string,
): Map<string, ProductSummary> {
  const last = findLastDay(figures, today);
  const byProduct = Map.groupBy(figures, ({ productId }) => productId);
  return new Map(
    [...byProduct].map(([productId, own]) => [productId, summariseProduct(own, last)]),
  );
}

function summariseProduct(figures: readonly SummedFigure[], today: string): ProductSummary {
  const span = { today, days: HOME_DAYS };
  const others = figures.filter(({ kind }) => !MONEY.includes(kind));
  const byCurrency = Map.groupBy(
    figures.filter(({ kind }) => MONEY.includes(kind)),
    ({ currency }) => currency,
  );
  const revenue = [...byCurrency].map(([currency, money]) => {
    const { value, before, change, series } = composeOverview(money, span).strips.revenue;
    return { currency, valueMinor: value, beforeMinor: before, change, series };
  });
  const { customers, deliveries } = composeOverview(others, span).strips;
  return {
    revenue: revenue.toSorted(bySize),
    customers: { value: customers.value, change: customers.change ?? 0 },
    accepted: deliveries.value,
  };
}

/** Sums up the revenue of products, each currency for itself. */
export function sumRevenue(summaries: readonly ProductSummary[]): Revenue[] {
  const byCurrency = Map.groupBy(
    summaries.flatMap(({ revenue }) => revenue),
    ({ currency }) => currency,
  );
  return [...byCurrency].map(([currency, each]) => addUp(currency, each)).toSorted(bySize);
}

function addUp(currency: string, each: readonly Revenue[]): Revenue {
  const valueMinor = each.reduce((sum, revenue) => sum + revenue.valueMinor, 0);
  const beforeMinor = each.reduce((sum, revenue) => sum + revenue.beforeMinor, 0);
  const series = each[0]!.series.map((_, place) =>
    each.reduce((sum, revenue) => sum + revenue.series[place]!, 0),
  );
  const change = changeInPercent(beforeMinor, valueMinor);
  return { currency, valueMinor, beforeMinor, change, series };
}

export function sumCustomers(summaries: readonly ProductSummary[]): People {
  return {
    value: summaries.reduce((sum, { customers }) => sum + customers.value, 0),
    change: summaries.reduce((sum, { customers }) => sum + customers.change, 0),
  };
}

function bySize(one: Revenue, other: Revenue): number {
  return other.valueMinor - one.valueMinor || one.currency.localeCompare(other.currency);
}
