// What the products of a period get, as operators see it.
import type { EntityManager } from '../../../platform/database/database.ts';
import { lower, lowerOf, total } from '../../../platform/database/expressions.ts';
import { iconHashOf } from '../../catalog/pictures/picture.repository.ts';
import { kysely } from '../../kysely.ts';
import { parseUuid } from '../../shared/ids.ts';
import { openHolds } from '../payout-lines/line-conditions.repository.ts';
import type { PeriodView } from './periods.repository.ts';

/** The amounts on a page, the largest first. */
export const MOST_AMOUNTS = 50;

export type AmountSearch = {
  /** Part of a product's name, the beginning of a slug of it, or its id; empty for all products. */
  find: string;
  /** The last product of the page before. */
  after: string | null;
};

/** `next` is the id of the last product when others follow. */
export async function listAmounts(
  em: EntityManager,
  { id, month }: Pick<PeriodView, 'id' | 'month'>,
  search: AmountSearch,
) {
  const sums = sumsOf(em, { id, search })
    .select(({ fn }) => [
      total(fn.sum('line.amountMinor').filterWhere('line.month', '=', month)).as('amountMinor'),
      total(fn.sum('line.amountMinor').filterWhere('line.month', '<>', month)).as('correctedMinor'),
      total(fn.sum('line.qualifiedDays').filterWhere('line.month', '=', month)).as('days'),
      total(fn.sum('line.members').filterWhere('line.month', '=', month)).as('members'),
    ])
    .orderBy('amount', 'desc')
    .orderBy('line.productId')
    .limit(MOST_AMOUNTS + 1);
  const found = await kysely(em)
    .selectFrom(sums.as('sums'))
    .innerJoin('product', 'product.id', 'sums.productId')
    .innerJoin('productSlug as slug', (join) =>
      join.onRef('slug.productId', '=', 'product.id').on('slug.isCurrent', '=', true),
    )
    .leftJoin(openHolds.as('hold'), 'hold.productId', 'product.id')
    .select([
      'sums.productId',
      'sums.amountMinor',
      'sums.correctedMinor',
      'sums.days',
      'sums.members',
    ])
    .select(['product.name', 'slug.slug', 'hold.reason as heldFor'])
    .select(({ ref }) => iconHashOf(ref('product.id')).as('iconHash'))
    .orderBy('sums.amount', 'desc')
    .orderBy('sums.productId')
    .execute();
  const amounts = found.slice(0, MOST_AMOUNTS);
  return { amounts, next: found.length > MOST_AMOUNTS ? amounts.at(-1)!.productId : null };
}

export type AmountLine = Awaited<ReturnType<typeof listAmounts>>['amounts'][number];

/** How many products a period has. */
export async function countPeriodProducts(em: EntityManager, periodId: string): Promise<number> {
  const { products } = await kysely(em)
    .selectFrom('poolLine')
    .select(({ fn }) => fn.count<number>('productId').distinct().as('products'))
    .where('periodId', '=', periodId)
    .executeTakeFirstOrThrow();
  return products;
}

/** The amount of each product that is searched for. */
function sumsOf(
  em: EntityManager,
  { id, search: { find, after } }: { id: string; search: AmountSearch },
) {
  const sums = kysely(em)
    .selectFrom('poolLine as line')
    .select('line.productId')
    .select(({ fn }) => total(fn.sum('line.amountMinor')).as('amount'))
    .where('line.periodId', '=', id)
    .groupBy('line.productId');
  const found = find === '' ? sums : sums.where('line.productId', 'in', matchingProducts(em, find));
  if (after === null) return found;
  const last = kysely(em)
    .selectFrom('poolLine as last')
    .select(({ fn }) => fn.sum('last.amountMinor').as('amount'))
    .where('last.periodId', '=', id)
    .where('last.productId', '=', after);
  return found.having(({ and, eb, fn, or }) => {
    const amount = fn.sum('line.amountMinor');
    return or([
      eb(amount, '<', last),
      and([eb(amount, '=', last), eb('line.productId', '>', after)]),
    ]);
  });
}

function matchingProducts(em: EntityManager, find: string) {
  const id = parseUuid(find);
  const products = kysely(em).selectFrom('product').select('product.id');
  if (id !== null) return products.where('product.id', '=', id);
  const slugs = kysely(em)
    .selectFrom('productSlug as slug')
    .select('slug.productId')
    .where('slug.slug', '^@', find.toLowerCase());
  return products.where(({ eb, fn, or }) =>
    or([
      eb(fn<number>('strpos', [lower('product.name'), lowerOf(find)]), '>', 0),
      eb('product.id', 'in', slugs),
    ]),
  );
}
