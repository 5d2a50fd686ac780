import type { Database, EntityManager } from '../../../platform/database/database.ts';
import { asJson } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { readPeriodId } from '../period/pool-month.ts';
import { PoolPeriod } from '../period/pool-period.entity.ts';
import { readMemberEvidence } from './member-evidence.repository.ts';
import { PoolReview } from './pool-review.entity.ts';
import { addMember, emptySums, toFigures, type ReviewSums } from './review-rules.ts';

const AT_ONCE = 500;

/**
 * Writes the figures of each product of a computed period, which is in review from then on. A
 * repeated review changes nothing.
 */
export async function reviewPeriod(
  database: Database,
  periodId: string,
): Promise<{ listed: number }> {
  const period = await database.em().findOneOrFail(PoolPeriod, periodId, { fields: ['status'] });
  if (period.status === 'computed') {
    const sums = new Map<string, ReviewSums>();
    for (const productId of await listProducts(database.em(), periodId)) {
      sums.set(productId, emptySums());
    }
    for await (const batch of readMemberEvidence(database, readPeriodId(periodId))) {
      for (const { productId, evidence } of batch) {
        const ofProduct = sums.get(productId);
        if (ofProduct) addMember(ofProduct, evidence);
      }
    }
    await database.transaction((em) => keepReview(em, { periodId, sums }));
  }
  return { listed: await database.em().count(PoolReview, { periodId, isListed: true }) };
}

/** Lists the products with an amount of the month itself. */
async function listProducts(em: EntityManager, periodId: string): Promise<string[]> {
  const found = await kysely(em)
    .selectFrom('poolLine as line')
    .innerJoin('poolPeriod as period', (join) =>
      join.onRef('period.id', '=', 'line.periodId').onRef('period.month', '=', 'line.month'),
    )
    .select('line.productId')
    .where('line.periodId', '=', periodId)
    .execute();
  return found.map(({ productId }) => productId);
}

/** Stores one of two reviews at once: the second finds the period in review. */
async function keepReview(
  em: EntityManager,
  { periodId, sums }: { periodId: string; sums: ReadonlyMap<string, ReviewSums> },
): Promise<void> {
  const computed = { id: periodId, status: 'computed' } as const;
  if ((await em.nativeUpdate(PoolPeriod, computed, { status: 'in_review' })) === 0) return;
  const rows = [...sums].map(([productId, each]) => {
    const figures = toFigures(each);
    const isListed = figures.some(({ isOver }) => isOver);
    return { periodId, productId, figures: asJson(figures), isListed };
  });
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    await kysely(em)
      .insertInto('poolReview')
      .values(rows.slice(from, from + AT_ONCE))
      .execute();
  }
}
