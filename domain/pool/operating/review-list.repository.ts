import type { EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';

const MOST = 100;

/** Products that a rule has listed, and those that are held, with what they would get. */
export async function listReviewed(em: EntityManager, periodId: string) {
  const found = await kysely(em)
    .selectFrom('poolReview as review')
    .innerJoin('product', 'product.id', 'review.productId')
    .innerJoin('productSlug as slug', (join) =>
      join.onRef('slug.productId', '=', 'product.id').on('slug.isCurrent', '=', true),
    )
    .leftJoin('poolHold as hold', (join) =>
      join.onRef('hold.productId', '=', 'product.id').on('hold.releasedAt', 'is', null),
    )
    .leftJoin('person as holder', 'holder.id', 'hold.heldBy')
    .select(['review.productId', 'review.figures', 'review.isListed', 'product.name', 'slug.slug'])
    .select(['hold.reason as heldFor', 'hold.heldAt', 'holder.handle as heldBy'])
    .select(({ selectFrom }) =>
      selectFrom('poolLine as line')
        .select(({ fn }) => fn.sum<string>('line.amountMinor').as('sum'))
        .whereRef('line.productId', '=', 'review.productId')
        .whereRef('line.periodId', '=', 'review.periodId')
        .as('amount'),
    )
    .where('review.periodId', '=', periodId)
    .where(({ or, eb }) => or([eb('review.isListed', '=', true), eb('hold.id', 'is not', null)]))
    .orderBy('product.name')
    .orderBy('review.productId')
    .limit(MOST)
    .execute();
  return found.map(({ amount, ...line }) => ({ ...line, amountMinor: Number(amount ?? 0) }));
}

export type ReviewedLine = Awaited<ReturnType<typeof listReviewed>>[number];
