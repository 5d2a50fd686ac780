// Periods as operators see them.
import type { EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';
import { PoolPreview } from '../period/pool-period.entity.ts';
import { ago, NOW } from '../../../platform/database/expressions.ts';
import { toPage } from '../../../platform/database/to-page.ts';
import { poolPeriodWorkflow } from '../../outbox/workflow-targets.ts';
import { sendToWorkflow } from '../../outbox/outbox.repository.ts';

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
  return toPage(found, PAGE, ({ id }) => id);
}

export async function findPoolPeriod(em: EntityManager, periodId: string) {
  const found = await periods(em).where('period.id', '=', periodId).executeTakeFirst();
  return found ?? null;
}

export type PeriodView = NonNullable<Awaited<ReturnType<typeof findPoolPeriod>>>;

const MOST_PROBLEMS = 20;

/** Lists the periods that do not go on by themselves, the oldest first. */
export async function listPeriodProblems(em: EntityManager): Promise<PeriodView[]> {
  return periods(em)
    .where('period.problem', 'is not', null)
    .orderBy('period.id')
    .limit(MOST_PROBLEMS)
    .execute();
}

/** The time after which an unfinished preview may be asked for again. */
const MADE_WITHIN = '10 minutes';

/** False when the month is frozen, or while a preview of it is made. */
export async function requestPreview(em: EntityManager, periodId: string): Promise<boolean> {
  const requested = await kysely(em)
    .insertInto('poolPreview')
    .columns(['periodId', 'requestedAt'])
    .expression(({ selectFrom }) =>
      selectFrom('poolPeriod')
        .select(['id', NOW.as('requestedAt')])
        .where('id', '=', periodId)
        .where('status', '=', 'open')
        .forShare(),
    )
    .onConflict((conflict) =>
      conflict
        .column('periodId')
        .doUpdateSet({ requestedAt: NOW, computedAt: null })
        .where(({ or, eb }) =>
          or([
            eb('poolPreview.computedAt', 'is not', null),
            eb('poolPreview.requestedAt', '<', ago(MADE_WITHIN)),
          ]),
        ),
    )
    .executeTakeFirst();
  if (requested.numInsertedOrUpdatedRows === 0n) return false;
  await sendToWorkflow(em, poolPeriodWorkflow(periodId), { kind: 'preview' });
  return true;
}

/** Finds the preview as it was computed: products by their ids, in no order of amounts. */
export async function findPreview(em: EntityManager, periodId: string) {
  return em.findOne(PoolPreview, { periodId });
}

export type Preview = NonNullable<Awaited<ReturnType<typeof findPreview>>>;
