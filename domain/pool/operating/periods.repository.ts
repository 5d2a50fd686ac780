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
