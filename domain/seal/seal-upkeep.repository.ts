import type { EntityManager } from '../../platform/database/database.ts';
import { ago } from '../../platform/database/expressions.ts';
import { kysely } from '../kysely.ts';

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
