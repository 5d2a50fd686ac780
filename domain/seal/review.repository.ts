import { now, type Database, type EntityManager } from '../../platform/database/database.ts';
import { anyOf, ago } from '../../platform/database/expressions.ts';
import { indexProducts } from '../catalog/search/index-products.repository.ts';
import { kysely } from '../kysely.ts';
import { isPassed, judgeSeal, type Criterion } from './criteria.ts';
import { SealReview } from './seal.entity.ts';
import { readSealFigures } from './figures.query.ts';
import { reviewedDays, weekOf } from './review-week.ts';
import {
  closeAppeals,
  lockSeals,
  notifyOfSeal,
  moveSeal,
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

const PAGE = 100;

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
  const productIds = await listListed(em, after);
  const figures = await readSealFigures(database.pool, { productIds, ...reviewedDays(week) });
  const judged = new Map(
    [...figures].map(([productId, each]) => [productId, judgeSeal(each)] as const),
  );
  const counts = await database.transaction((within) => recordReviews(within, { week, judged }));
  return { week, after: productIds.length < PAGE ? null : productIds.at(-1)!, ...counts };
}

async function listListed(em: EntityManager, after: string | null): Promise<string[]> {
  const listed = await kysely(em)
    .selectFrom('product')
    .select('id')
    .where('state', '=', 'listed')
    .where('delivery', '=', 'entitlement_api')
    .$if(after !== null, (products) => products.where('id', '>', after!))
    .orderBy('id')
    .limit(PAGE)
    .execute();
  return listed.map(({ id }) => id);
}

type Judged = { week: string; judged: Map<string, Criterion[]> };

type Reviewed = {
  stored: StoredSeal;
  seal: Seal;
  criteria: Criterion[];
  isPassed: boolean;
  news: SealNews | null;
};

async function recordReviews(em: EntityManager, { week, judged }: Judged) {
  const seals = await lockSeals(em, [...judged.keys()]);
  const isReviewed = await findReviewed(em, { week, productIds: [...seals.keys()] });
  const at = await now(em);
  const reviews = [...seals]
    .filter(([productId]) => !isReviewed.has(productId))
    .map(([productId, stored]): Reviewed => {
      const criteria = judged.get(productId)!;
      const event = { kind: 'reviewed', isPassed: isPassed(criteria), at } as const;
      return {
        stored,
        criteria,
        isPassed: event.isPassed,
        ...decideSeal(stored, event)!,
      };
    });
  if (reviews.length > 0) await keepReviews(em, { week, at, reviews });
  const count = (news: SealNews) => reviews.filter((each) => each.news === news).length;
  return {
    reviewed: reviews.length,
    earned: count('earned'),
    noticed: count('noticed'),
    lost: count('lost'),
  };
}

/**
 * Reads under the lock of the seals, so that another run of the week has written all of its
 * reviews.
 */
async function findReviewed(
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
  await em.insertMany(SealReview, rows);
  for (const { stored, seal } of reviews) moveSeal(stored, { seal, at });
  await indexProducts(
    em,
    rows.map(({ productId }) => productId),
  );
  const held = reviews.filter(({ seal }) => seal.state === 'held');
  await closeAppeals(
    em,
    held.map(({ stored }) => stored.productId),
  );
  for (const { stored, news, seal } of reviews) {
    if (news !== null) await notifyOfSeal(em, { productId: stored.productId, news, seal });
  }
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
