// What operators decide about products of the review list, and about evidence.
import type { EntityManager } from '../../../platform/database/database.ts';
import { CLOCK, total } from '../../../platform/database/expressions.ts';
import { toPage } from '../../../platform/database/to-page.ts';
import { iconHashOf } from '../../catalog/pictures/picture.repository.ts';
import { kysely } from '../../kysely.ts';
import { newUuid } from '../../shared/ids.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { openHolds } from '../payout-lines/line-conditions.repository.ts';
import { PoolExclusion, PoolHold } from './pool-review.entity.ts';

const MOST = 100;

/** Products that a rule has listed, and those that are held, with what they would get. */
export async function listReviewed(em: EntityManager, periodId: string) {
  return kysely(em)
    .selectFrom('poolReview as review')
    .innerJoin('product', 'product.id', 'review.productId')
    .innerJoin('productSlug as slug', (join) =>
      join.onRef('slug.productId', '=', 'product.id').on('slug.isCurrent', '=', true),
    )
    .leftJoin(openHolds.as('hold'), 'hold.productId', 'product.id')
    .leftJoin('person as holder', 'holder.id', 'hold.heldBy')
    .select(['review.productId', 'review.figures', 'review.isListed', 'product.name', 'slug.slug'])
    .select(['hold.reason as heldFor', 'hold.heldAt', 'holder.handle as heldBy'])
    .select(({ ref }) => iconHashOf(ref('product.id')).as('iconHash'))
    .select(({ selectFrom }) =>
      selectFrom('poolLine as line')
        .select(({ fn }) => total(fn.sum('line.amountMinor')).as('sum'))
        .whereRef('line.productId', '=', 'review.productId')
        .whereRef('line.periodId', '=', 'review.periodId')
        .$asScalar()
        .$notNull()
        .as('amountMinor'),
    )
    .select(({ selectFrom }) =>
      selectFrom('poolLine as line')
        .innerJoin('poolPeriod as period', 'period.id', 'line.periodId')
        .select(({ fn }) => total(fn.sum('line.amountMinor')).as('sum'))
        .whereRef('line.productId', '=', 'review.productId')
        .whereRef('line.periodId', '=', 'review.periodId')
        .whereRef('line.month', '<>', 'period.month')
        .$asScalar()
        .$notNull()
        .as('correctedMinor'),
    )
    .where('review.periodId', '=', periodId)
    .where(({ or, eb }) => or([eb('review.isListed', '=', true), eb('hold.id', 'is not', null)]))
    .orderBy('product.name')
    .orderBy('review.productId')
    .limit(MOST)
    .execute();
}

export type ReviewedLine = Awaited<ReturnType<typeof listReviewed>>[number];

type Hold = { productId: string; byId: string };

/** What the product would get waits from the next settlement on. False when it is held already. */
export async function holdPoolProduct(
  em: EntityManager,
  { productId, byId, reason }: Hold & { reason: string },
): Promise<boolean> {
  const held = await kysely(em)
    .insertInto('poolHold')
    .values({ id: newUuid(), productId, reason, heldBy: byId })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return held.numInsertedOrUpdatedRows === 1n;
}

/** What waited is settled with the next month. False when the product is not held. */
export async function releasePoolProduct(
  em: EntityManager,
  { productId, byId }: Hold,
): Promise<boolean> {
  const released = { releasedAt: CLOCK, releasedBy: byId };
  return (await em.nativeUpdate(PoolHold, { productId, releasedAt: null }, released)) === 1;
}

type Exclusion = {
  personId: string;
  productId: string;
  /** The month's first day. */
  month: string;
  reason: string;
  byId: string;
};

/**
 * The person's days on the product in the month do not count in the pool. Of a frozen month the next
 * open one corrects it.
 */
export async function excludeEvidence(
  em: EntityManager,
  { byId, ...exclusion }: Exclusion,
): Promise<Refusal<'no_evidence' | 'excluded'> | null> {
  const { personId, productId, month, reason } = exclusion;
  const written = await kysely(em)
    .insertInto('poolExclusion')
    .columns(['personId', 'productId', 'month', 'reason', 'excludedBy'])
    .expression(({ selectFrom, val, cast }) =>
      selectFrom('usageMonth')
        .select(['personId', 'productId', 'month'])
        .select([
          cast<string>(val(reason), 'text').as('reason'),
          cast<string>(val(byId), 'uuid').as('by'),
        ])
        .where('personId', '=', personId)
        .where('productId', '=', productId)
        .where('month', '=', month)
        .where('qualifyingDays', '<>', 0),
    )
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (written.numInsertedOrUpdatedRows === 1n) return null;
  const isExcluded = (await em.count(PoolExclusion, { personId, productId, month })) > 0;
  return refuse(isExcluded ? 'excluded' : 'no_evidence');
}

const PAGE = 50;

/** The key of an exclusion. */
export type ExclusionKey = Pick<Exclusion, 'personId' | 'productId' | 'month'>;

/** The newest first; `before` is the last one of the page before. */
export async function listExclusions(em: EntityManager, before: ExclusionKey | null) {
  const found = await kysely(em)
    .selectFrom('poolExclusion as without')
    .innerJoin('person', 'person.id', 'without.personId')
    .innerJoin('person as operator', 'operator.id', 'without.excludedBy')
    .innerJoin('product', 'product.id', 'without.productId')
    .innerJoin('productSlug as slug', (join) =>
      join.onRef('slug.productId', '=', 'product.id').on('slug.isCurrent', '=', true),
    )
    .select(['without.personId', 'without.productId', 'without.month', 'without.reason'])
    .select(['without.createdAt', 'person.handle', 'operator.handle as excludedBy'])
    .select(['product.name', 'slug.slug'])
    .select(({ ref }) => iconHashOf(ref('product.id')).as('iconHash'))
    .$if(before !== null, (all) =>
      all.where(({ eb, refTuple, selectFrom }) =>
        eb(
          refTuple('without.createdAt', 'without.personId', 'without.productId', 'without.month'),
          '<',
          selectFrom('poolExclusion as last')
            .select(['last.createdAt', 'last.personId', 'last.productId', 'last.month'])
            .where('last.personId', '=', before!.personId)
            .where('last.productId', '=', before!.productId)
            .where('last.month', '=', before!.month)
            .$asTuple('createdAt', 'personId', 'productId', 'month'),
        ),
      ),
    )
    .orderBy('without.createdAt', 'desc')
    .orderBy('without.personId', 'desc')
    .orderBy('without.productId', 'desc')
    .orderBy('without.month', 'desc')
    .limit(PAGE + 1)
    .execute();
  return toPage(found, PAGE, (last) => last);
}

export type ExclusionLine = Awaited<ReturnType<typeof listExclusions>>['lines'][number];
