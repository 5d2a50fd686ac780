// Periods as operators see them.
import type { EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';
import { PoolPeriod } from '../period/pool-period.entity.ts';

const PAGE = 50;

const periods = (em: EntityManager) =>
  kysely(em)
    .selectFrom('poolPeriod as period')
    .leftJoin('person as approver', 'approver.id', 'period.approvedBy')
    .select(['period.id', 'period.month', 'period.currency', 'period.status', 'period.rule'])
    .select(['period.poolShareBps', 'period.freezeDueAt', 'period.frozenAt', 'period.computedAt'])
    .select(['period.snapshotSha256', 'period.statementSha256', 'period.approvedAt'])
    .select(['approver.handle as approvedBy', 'period.paidAt', 'period.problem'])
    .select(['period.feesMinor', 'period.platformMinor', 'period.productsMinor'])
    .select(['period.unattributedMinor', 'period.members', 'period.membersWithoutDays']);

/** The newest month first, before a given period. */
export async function listPoolPeriods(em: EntityManager, before: string | null) {
  const found = await periods(em)
    .$if(before !== null, (all) => all.where('period.id', '<', before!))
    .orderBy('period.id', 'desc')
    .limit(PAGE + 1)
    .execute();
  const lines = found.slice(0, PAGE);
  return { lines, next: found.length > PAGE ? lines.at(-1)!.id : null };
}

export async function findPoolPeriod(em: EntityManager, periodId: string) {
  const found = await periods(em).where('period.id', '=', periodId).executeTakeFirst();
  return found ?? null;
}

export type PeriodView = NonNullable<Awaited<ReturnType<typeof findPoolPeriod>>>;

const MOST_PROBLEMS = 20;

/** Those that do not go on by themselves, the oldest first. */
export async function listPeriodProblems(em: EntityManager): Promise<PeriodView[]> {
  return periods(em)
    .where('period.problem', 'is not', null)
    .orderBy('period.id')
    .limit(MOST_PROBLEMS)
    .execute();
}

/** Those that wait for an approval. */
export async function countInReview(em: EntityManager): Promise<number> {
  return em.count(PoolPeriod, { status: 'in_review' });
}

/** The largest amounts of a period are shown; its statement has all. */
export const MOST_AMOUNTS = 50;

export async function listAmounts(em: EntityManager, { id, month }: PeriodView) {
  const sums = kysely(em)
    .selectFrom('poolLine as line')
    .select('line.productId')
    .select(({ fn }) => [
      fn.sum<string>('line.amountMinor').filterWhere('line.month', '=', month).as('ofMonth'),
      fn.sum<string>('line.amountMinor').filterWhere('line.month', '<>', month).as('corrected'),
      fn.sum<string>('line.qualifiedDays').filterWhere('line.month', '=', month).as('days'),
      fn.sum<string>('line.members').filterWhere('line.month', '=', month).as('members'),
      fn.sum<string>('line.amountMinor').as('amount'),
      fn.countAll<number>().over().as('products'),
    ])
    .where('line.periodId', '=', id)
    .groupBy('line.productId')
    .orderBy('amount', 'desc')
    .orderBy('line.productId')
    .limit(MOST_AMOUNTS);
  const found = await kysely(em)
    .selectFrom(sums.as('sums'))
    .innerJoin('product', 'product.id', 'sums.productId')
    .innerJoin('productSlug as slug', (join) =>
      join.onRef('slug.productId', '=', 'product.id').on('slug.isCurrent', '=', true),
    )
    .leftJoin('poolHold as hold', (join) =>
      join.onRef('hold.productId', '=', 'product.id').on('hold.releasedAt', 'is', null),
    )
    .select(['sums.productId', 'sums.ofMonth', 'sums.corrected', 'sums.days', 'sums.members'])
    .select(['sums.products', 'product.name', 'slug.slug', 'hold.reason as heldFor'])
    .orderBy('sums.amount', 'desc')
    .orderBy('sums.productId')
    .execute();
  const amounts = found.map(({ ofMonth, corrected, days, members, ...line }) => ({
    ...line,
    amountMinor: Number(ofMonth ?? 0),
    correctedMinor: Number(corrected ?? 0),
    days: Number(days ?? 0),
    members: Number(members ?? 0),
  }));
  return { amounts, products: found[0]?.products ?? 0 };
}

export type AmountLine = Awaited<ReturnType<typeof listAmounts>>['amounts'][number];
