// The figures of many products, as upkeep has summed them: one statement for all of them.
import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/database.ts';
import { anyOf, total } from '../../platform/database/expressions.ts';
import { kysely } from '../kysely.ts';
import { toDay } from '../shared/instant.ts';
import { HOME_DAYS, summariseProducts, type ProductSummary } from './home-figures.ts';
import { addDays } from './overview.ts';
import { toFigures } from './product-figures.query.ts';

export type MonthOfSales = Awaited<ReturnType<typeof listMonthsOfSales>>[number];

/** Lists the months in which products sold anything, the newest first, as upkeep has summed them. */
export async function listMonthsOfSales(
  em: EntityManager,
  { productIds, from, limit }: { productIds: readonly string[]; from: Date; limit: number },
) {
  return kysely(em)
    .selectFrom('productFigure')
    .select(['productId', 'currency'])
    .select(({ fn }) => {
      const sumOf = (column: 'count' | 'sumMinor', kind: 'sales' | 'refunds') =>
        total(fn.sum(column).filterWhere('kind', '=', kind));
      return [
        fn<string>('to_char', ['day', sql.lit('YYYY-MM')]).as('month'),
        sumOf('count', 'sales').as('payments'),
        sumOf('sumMinor', 'sales').as('salesMinor'),
        sumOf('sumMinor', 'refunds').as('refundsMinor'),
      ];
    })
    .where('productId', '=', anyOf(productIds))
    .where('day', '>=', toDay(from))
    .where('kind', 'in', ['sales', 'refunds'])
    .groupBy(['productId', 'month', 'currency'])
    .having(({ fn }) => fn.sum('count'), '>', 0)
    .orderBy('month', 'desc')
    .orderBy('productId')
    .orderBy('currency')
    .limit(limit)
    .execute();
}

type Query = { productIds: readonly string[]; now: Date };

/** Loads summaries by product; a product without figures has none. */
export async function loadHomeFigures(
  em: EntityManager,
  { productIds, now }: Query,
): Promise<Map<string, ProductSummary>> {
  const today = toDay(now);
  // A day more: until today is summed, the days end with yesterday.
  const first = addDays(today, -2 * HOME_DAYS);
  // One range of the primary key for each product; a row for each kind, as the overview reads them.
  const stored = await kysely(em)
    .selectFrom('productFigure')
    .select(['productId', 'kind', 'currency'])
    .select(({ eb, fn, cast, ref, val }) => [
      cast<string>(
        fn.agg('array_agg', [eb('day', '-', cast<never>(val(first), 'date'))]),
        'text',
      ).as('places'),
      cast<string>(fn.agg('array_agg', [ref('count')]), 'text').as('counts'),
      cast<string>(fn.agg('array_agg', [ref('sumMinor')]), 'text').as('sums'),
    ])
    .where('productId', '=', anyOf(productIds))
    .where('day', '>=', first)
    .where('kind', 'not in', ['checks_open', 'checks_locked'])
    .groupBy(['productId', 'kind', 'currency'])
    .execute();
  const figures = stored.flatMap(({ productId, currency, ...kind }) =>
    toFigures(kind, first).map((figure) => ({ ...figure, productId, currency })),
  );
  return summariseProducts(figures, today);
}
