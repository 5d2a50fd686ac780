// The reviews of the quality seal in the weeks before this one, of what the demo's products show.
import { indexProducts } from '../../domain/catalog/search/index-products.repository.ts';
import { kysely } from '../../domain/kysely.ts';
import { isPassed, judgeSeal, type Criterion } from '../../domain/seal/criteria.ts';
import { readSealFigures } from '../../domain/seal/figures.query.ts';
import { reviewedDays, weekOf } from '../../domain/seal/review-week.ts';
import { decideSeal, NO_SEAL } from '../../domain/seal/seal-state.ts';
import { DAY_MS } from '../../domain/shared/instant.ts';
import { now, type Database, type EntityManager } from '../../platform/database/database.ts';
import { anyOf, asJson } from '../../platform/database/expressions.ts';

const WEEKS = 8;

type DemoProduct = { id: string; state: string };
type Review = { week: string; criteria: Criterion[] };

/** Belongs after the transaction of the products: the figures are read from what is there. A seal that is there stays. */
export async function createSeals(
  database: Database,
  products: readonly DemoProduct[],
): Promise<void> {
  const em = database.em();
  const at = await now(em);
  const productIds = await listUnsealed(em, products);
  const weeks = Array.from({ length: WEEKS }, (_, index) =>
    weekOf(new Date(at.getTime() - (WEEKS - index) * 7 * DAY_MS)),
  );
  const figures = await Promise.all(
    weeks.map((week) => readSealFigures(database.pool, { productIds, ...reviewedDays(week) })),
  );
  await database.transaction(async (within) => {
    for (const productId of productIds) {
      const reviews = weeks.map((week, index) => {
        return { week, criteria: judgeSeal(figures[index]!.get(productId)!) };
      });
      await createReviews(within, { productId, reviews });
    }
  });
}

async function listUnsealed(em: EntityManager, products: readonly DemoProduct[]) {
  const listed = products.filter(({ state }) => state === 'listed').map(({ id }) => id);
  const sealed = await kysely(em)
    .selectFrom('seal')
    .select('productId')
    .where('productId', '=', anyOf(listed))
    .execute();
  return listed.filter((id) => sealed.every(({ productId }) => productId !== id));
}

/** Makes the reviews by the rules themselves. */
async function createReviews(
  em: EntityManager,
  { productId, reviews }: { productId: string; reviews: readonly Review[] },
): Promise<void> {
  let current = NO_SEAL;
  const dates = { heldSince: null as Date | null, noticedAt: null as Date | null };
  const rows = reviews.map(({ week, criteria }) => {
    const reviewedAt = new Date(`${week}T04:00:00Z`);
    const event = { kind: 'reviewed', isPassed: isPassed(criteria), at: reviewedAt } as const;
    const { seal: next, news } = decideSeal(current, event)!;
    if (news === 'earned') dates.heldSince = reviewedAt;
    if (news === 'noticed') dates.noticedAt = reviewedAt;
    current = next;
    const review = { productId, week, criteria: asJson(criteria), reviewedAt };
    return { ...review, isPassed: event.isPassed, state: next.state };
  });
  await kysely(em).insertInto('sealReview').values(rows).execute();
  await kysely(em)
    .insertInto('seal')
    .values({ productId, ...current, ...dates })
    .execute();
  await indexProducts(em, [productId]);
}
