import type { EntityManager } from '../../platform/database/database.ts';
import { kysely } from '../kysely.ts';

/** A year of weeks. */
const MOST_SHOWN = 53;

/** The reviews of a product, the newest first. */
export async function listReviews(em: EntityManager, productId: string) {
  return kysely(em)
    .selectFrom('sealReview')
    .select(['isPassed', 'criteria', 'state', 'reviewedAt'])
    .select(({ cast }) => cast<string>('week', 'text').as('week'))
    .where('productId', '=', productId)
    .orderBy('week', 'desc')
    .limit(MOST_SHOWN)
    .execute();
}

export type ReviewLine = Awaited<ReturnType<typeof listReviews>>[number];
