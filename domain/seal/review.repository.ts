import type { RequiredEntityData } from '@mikro-orm/core';
import type { EntityManager } from '../../platform/database/database.ts';
import { anyOf, ago } from '../../platform/database/expressions.ts';
import { kysely } from '../kysely.ts';
import { SealReview } from './seal.entity.ts';

const PAGE = 100;

/** Lists a page of the products that have a seal to review, in the order of their ids. */
export async function listReviewable(
  em: EntityManager,
  after: string | null,
): Promise<{ productIds: string[]; isLast: boolean }> {
  const listed = await kysely(em)
    .selectFrom('product')
    .select('id')
    .where('state', '=', 'listed')
    .where('delivery', '=', 'entitlement_api')
    .$if(after !== null, (products) => products.where('id', '>', after!))
    .orderBy('id')
    .limit(PAGE)
    .execute();
  return { productIds: listed.map(({ id }) => id), isLast: listed.length < PAGE };
}

/**
 * Reads under the lock of the seals, so that another run of the week has written all of its
 * reviews.
 */
export async function findReviewed(
  em: EntityManager,
  { week, productIds }: { week: string; productIds: readonly string[] },
): Promise<Set<string>> {
  const found = await kysely(em)
    .selectFrom('sealReview')
    .select('productId')
    .where('week', '=', week)
    .where('productId', '=', anyOf(productIds))
    .execute();
  return new Set(found.map(({ productId }) => productId));
}

export async function insertReviews(
  em: EntityManager,
  reviews: RequiredEntityData<ReviewLine>[],
): Promise<void> {
  await em.insertMany(SealReview, reviews);
}

/** A year of weeks. */
const MOST_SHOWN = 53;

/** The reviews of a product, the newest first. */
export async function listReviews(em: EntityManager, productId: string) {
  return em.find(SealReview, { productId }, { orderBy: { week: 'desc' }, limit: MOST_SHOWN });
}

export type ReviewLine = Awaited<ReturnType<typeof listReviews>>[number];

const BATCH = 5_000;

/** Removes a batch of reviews and counts that nobody asks for any more; true when more may be left. */
export async function removeOldSealRows(em: EntityManager): Promise<boolean> {
  const removals = [removeReviews(em), removeCounts(em)];
  let isAnyLeft = false;
  for (const removal of removals) {
    const { numDeletedRows } = await removal.executeTakeFirst();
    isAnyLeft ||= Number(numDeletedRows) === BATCH;
  }
  return isAnyLeft;
}

const removeReviews = (em: EntityManager) =>
  kysely(em)
    .deleteFrom('sealReview')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('productId', 'week'),
        'in',
        selectFrom('sealReview as old')
          .select(['old.productId', 'old.week'])
          .where('old.week', '<=', ago('400 days').$castTo<string>())
          .limit(BATCH)
          .$asTuple('productId', 'week'),
      ),
    );

// Longer than a review looks back.
const removeCounts = (em: EntityManager) =>
  kysely(em)
    .deleteFrom('integrationCount')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('productId', 'day'),
        'in',
        selectFrom('integrationCount as old')
          .select(['old.productId', 'old.day'])
          .where('old.day', '<=', ago('120 days').$castTo<string>())
          .limit(BATCH)
          .$asTuple('productId', 'day'),
      ),
    );
