// The figures of many products, as upkeep has summed them: one statement for all of them.
import { rows, type EntityManager } from '../../platform/database/database.ts';
import { toDay } from '../shared/instant.ts';
import { HOME_DAYS, summariseProducts, type ProductSummary } from './home-figures.ts';
import { addDays } from './overview.ts';
import { toFigures, type StoredKind } from './product-figures.query.ts';

// One range of the primary key for each product; a row for each kind, as the overview reads them.
const SUMMED = `
  select product_id as "productId", kind, currency, array_agg(day - ?::date)::text as places,
    array_agg(count)::text as counts, array_agg(sum_minor)::text as sums
  from product_figure
  where product_id = any(?::uuid[]) and day >= ? and kind not in ('checks_open', 'checks_locked')
  group by 1, 2, 3`;

// Less the days: months of products, as rows of one list.
const MONTHS = `
  select product_id as "productId", to_char(day, 'YYYY-MM') as month, currency,
    (sum(count) filter (where kind = 'sales'))::bigint as payments,
    coalesce(sum(sum_minor) filter (where kind = 'sales'), 0)::bigint as "salesMinor",
    coalesce(sum(sum_minor) filter (where kind = 'refunds'), 0)::bigint as "refundsMinor"
  from product_figure
  where product_id = any(?::uuid[]) and day >= ? and kind in ('sales', 'refunds')
  group by 1, 2, 3 having bool_or(count > 0)
  order by 2 desc, 1, 3 limit ?`;

export type MonthOfSales = {
  productId: string;
  month: string;
  currency: string;
  payments: number | null;
  salesMinor: number;
  refundsMinor: number;
};

/** The months in which products sold anything, the newest first, as upkeep has summed them. */
export async function listMonthsOfSales(
  em: EntityManager,
  { productIds, from, limit }: { productIds: readonly string[]; from: Date; limit: number },
): Promise<MonthOfSales[]> {
  return productIds.length === 0 ? [] : rows(em, MONTHS, [productIds, toDay(from), limit]);
}

type Query = { productIds: readonly string[]; now: Date };

/** Summaries by product; a product without figures has none. */
export async function loadHomeFigures(
  em: EntityManager,
  { productIds, now }: Query,
): Promise<Map<string, ProductSummary>> {
  if (productIds.length === 0) return new Map();
  const today = toDay(now);
  // A day more: until today is summed, the days end with yesterday.
  const first = addDays(today, -2 * HOME_DAYS);
  const stored = await rows<StoredKind & { productId: string; currency: string }>(em, SUMMED, [
    first,
    productIds,
    first,
  ]);
  const figures = stored.flatMap((kind) =>
    toFigures(kind, first).map((figure) => ({
      ...figure,
      productId: kind.productId,
      currency: kind.currency,
    })),
  );
  return summariseProducts(figures, today);
}
