// One product of the demo holds the quality seal; another one is about to lose it.
import { judgeSeal, isPassed, type SealFigures } from '../../domain/seal/criteria.ts';
import { weekOf } from '../../domain/seal/review-week.ts';
import { decideSeal, NO_SEAL } from '../../domain/seal/seal-state.ts';
import { Product } from '../../domain/catalog/product.entity.ts';
import { kysely } from '../../domain/kysely.ts';
import { now, type EntityManager } from '../../platform/database/database.ts';
import { asJson } from '../../platform/database/expressions.ts';
import { DAY_MS } from '../../domain/shared/instant.ts';

const LISTED_DAYS = 200;
const WEEKS = 8;

type DemoSeal = {
  slug: string;
  /** Who uses the product, as the next review will find it. */
  people: number;
  /** Of so many last weeks the reviews failed. */
  failedWeeks: number;
};

const PEOPLE = 40;

const SEALS: readonly DemoSeal[] = [
  { slug: 'paper-trail', people: PEOPLE, failedWeeks: 0 },
  { slug: 'tide-table', people: 14, failedWeeks: 2 },
];

export function peopleOf(slug: string): number {
  return SEALS.find((seal) => seal.slug === slug)?.people ?? PEOPLE;
}

type DemoProduct = { id: string; slug: string };

/** Belongs in the transaction of the products; a seal that is there stays. */
export async function createSeals(
  em: EntityManager,
  products: readonly DemoProduct[],
): Promise<void> {
  const at = await now(em);
  for (const seal of SEALS) {
    const { id: productId } = products.find(({ slug }) => slug === seal.slug)!;
    if (await isSealed(em, productId)) continue;
    const listedAt = new Date(at.getTime() - LISTED_DAYS * DAY_MS);
    await em.nativeUpdate(Product, { id: productId }, { listedAt });
    await createReviews(em, { productId, at, seal });
  }
}

async function isSealed(em: EntityManager, productId: string): Promise<boolean> {
  const found = await kysely(em)
    .selectFrom('seal')
    .select('state')
    .where('productId', '=', productId)
    .executeTakeFirst();
  return found !== undefined;
}

/** The weeks before this one, by the rules themselves. */
async function createReviews(
  em: EntityManager,
  { productId, at, seal }: { productId: string; at: Date; seal: DemoSeal },
): Promise<void> {
  let current = NO_SEAL;
  const dates = {
    heldSince: null as Date | null,
    noticedAt: null as Date | null,
  };
  for (let weeksAgo = WEEKS; weeksAgo >= 1; weeksAgo -= 1) {
    const week = weekOf(new Date(at.getTime() - weeksAgo * 7 * DAY_MS));
    const reviewedAt = new Date(`${week}T04:00:00Z`);
    const people = weeksAgo > seal.failedWeeks ? PEOPLE : seal.people;
    const criteria = judgeSeal(figuresOf({ people, weeksAgo }));
    const event = { kind: 'reviewed', isPassed: isPassed(criteria), at: reviewedAt } as const;
    const { seal: next, news } = decideSeal(current, event)!;
    if (news === 'earned') dates.heldSince = reviewedAt;
    if (news === 'noticed') dates.noticedAt = reviewedAt;
    current = next;
    await kysely(em)
      .insertInto('sealReview')
      .values({
        productId,
        week,
        isPassed: event.isPassed,
        criteria: asJson(criteria),
        state: current.state,
        reviewedAt,
      })
      .execute();
  }
  await kysely(em)
    .insertInto('seal')
    .values({ productId, ...current, ...dates })
    .execute();
}

function figuresOf({ people, weeksAgo }: { people: number; weeksAgo: number }): SealFigures {
  return {
    people,
    returningPeople: Math.floor(people * 0.8),
    days: people * 9,
    daysOfLargest: 10,
    daysOfFive: 48,
    charges: 60,
    refundedCharges: 2,
    lostChargebacks: 0,
    listedDays: LISTED_DAYS - weeksAgo * 7,
    firstAttempts: 240,
    firstSuccesses: 239,
    callbacks: 60,
    tokens: 60,
  };
}
