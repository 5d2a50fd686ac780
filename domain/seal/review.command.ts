import {
  inTransaction,
  now,
  type Database,
  type EntityManager,
} from '../../platform/database/database.ts';
import { indexProducts } from '../catalog/search/index-products.repository.ts';
import { isPassed, judgeSeal, type Criterion } from './criteria.ts';
import { readSealFigures } from './figures.query.ts';
import { insertReviews, findReviewed, listReviewable } from './review.repository.ts';
import { reviewedDays, weekOf } from './review-week.ts';
import {
  closeAppeals,
  lockSeals,
  moveSeal,
  notifyOfSeal,
  type StoredSeal,
} from './seal.repository.ts';
import { decideSeal, type Seal, type SealNews } from './seal-state.ts';

/** The progress of a review of all products: the week, and the last product of the page before. */
export type ReviewPlace = { week: string | null; after: string | null };

export type ReviewedPage = {
  week: string;
  /** The last product of this page; null when no other follows. */
  after: string | null;
  reviewed: number;
} & Record<SealNews, number>;

/**
 * Reviews a page of listed products. Each product has one review a week: a repeated page changes
 * nothing. The figures are read before the transaction, which holds each product as it is.
 */
export async function reviewSeals(
  database: Database,
  { week: begun, after }: ReviewPlace,
): Promise<ReviewedPage> {
  const em = database.em();
  const week = begun ?? weekOf(await now(em));
  const { productIds, isLast } = await listReviewable(em, after);
  const figures = await readSealFigures(database.pool, { productIds, ...reviewedDays(week) });
  const judged = new Map(
    [...figures].map(([productId, each]) => [productId, judgeSeal(each)] as const),
  );
  const counts = await recordReviews(database.em(), { week, judged });
  return { week, after: isLast ? null : productIds.at(-1)!, ...counts };
}

type WeekOfReviews = { week: string; judged: Map<string, Criterion[]> };

type Reviewed = {
  stored: StoredSeal;
  seal: Seal;
  criteria: Criterion[];
  isPassed: boolean;
  news: SealNews | null;
};

/** Records the reviews that the week lacks. The seals and their products are locked first. */
async function recordReviews(em: EntityManager, { week, judged }: WeekOfReviews) {
  return inTransaction(em, async (em) => {
    const seals = await lockSeals(em, [...judged.keys()]);
    const isReviewed = await findReviewed(em, { week, productIds: [...seals.keys()] });
    const at = await now(em);
    const reviews = [...seals]
      .filter(([productId]) => !isReviewed.has(productId))
      .map(([productId, stored]) => decideReview(stored, { criteria: judged.get(productId)!, at }));
    if (reviews.length > 0) await keepReviews(em, { week, at, reviews });
    const count = (news: SealNews) => reviews.filter((each) => each.news === news).length;
    return {
      reviewed: reviews.length,
      earned: count('earned'),
      noticed: count('noticed'),
      lost: count('lost'),
    };
  });
}

function decideReview(
  stored: StoredSeal,
  { criteria, at }: { criteria: Criterion[]; at: Date },
): Reviewed {
  const event = { kind: 'reviewed', isPassed: isPassed(criteria), at } as const;
  return { stored, criteria, isPassed: event.isPassed, ...decideSeal(stored, event)! };
}

async function keepReviews(
  em: EntityManager,
  { week, at, reviews }: { week: string; at: Date; reviews: readonly Reviewed[] },
): Promise<void> {
  const rows = reviews.map(({ stored, criteria, isPassed: isMet, seal }) => ({
    productId: stored.productId,
    week,
    isPassed: isMet,
    criteria,
    state: seal.state,
    reviewedAt: at,
  }));
  const idsOf = (some: readonly Reviewed[]) => some.map(({ stored }) => stored.productId);
  await insertReviews(em, rows);
  for (const { stored, seal } of reviews) moveSeal(stored, { seal, at });
  await indexProducts(em, idsOf(reviews));
  await closeAppeals(em, idsOf(reviews.filter(({ seal }) => seal.state === 'held')));
  for (const { stored, news, seal } of reviews) {
    if (news !== null) await notifyOfSeal(em, { productId: stored.productId, news, seal });
  }
}
