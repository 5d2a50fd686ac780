import type { EntityManager } from '../../../platform/database/database.ts';
import { NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import type { RetryAttempt } from '../dispatch/claim.query.ts';

/** The deliveries of a cohort that have not succeeded; times come from the database's clock. */
export type CohortProgress = {
  productId: string;
  endpointId: string;
  /** Those with a retry ahead. */
  open: number;
  dead: number;
  /** The earliest retry ahead, 1 to 5; null when none is open. */
  step: number | null;
  dueAt: string | null;
  remainingMs: number;
};

/** Null when all have succeeded or left. */
export async function loadCohort(
  em: EntityManager,
  cohort: string,
): Promise<CohortProgress | null> {
  const found = await kysely(em)
    .selectFrom('deliveryState')
    .where('cohort', '=', cohort)
    .groupBy(['productId', 'endpointId'])
    .select(['productId', 'endpointId', NOW.as('now')])
    .select(({ fn }) => [
      fn.countAll<number>().filterWhere('status', '=', 'retrying').as('open'),
      fn.countAll<number>().filterWhere('status', '=', 'dead').as('dead'),
      fn.min('step').filterWhere('status', '=', 'retrying').as('step'),
      fn.min('dueAt').filterWhere('status', '=', 'retrying').as('dueAt'),
    ])
    .executeTakeFirst();
  if (!found) return null;
  const { now, dueAt, ...progress } = found;
  const remainingMs = dueAt === null ? 0 : Math.max(0, dueAt.getTime() - now.getTime());
  return { ...progress, dueAt: dueAt?.toISOString() ?? null, remainingMs };
}

/** The retries of a cohort that are due, the oldest first. */
export async function listDueRetries(
  em: EntityManager,
  { cohort, limit }: { cohort: string; limit: number },
): Promise<RetryAttempt[]> {
  return kysely(em)
    .selectFrom('deliveryState')
    .select(['deliveryId', 'run', 'step'])
    .where('cohort', '=', cohort)
    .where('status', '=', 'retrying')
    .where('dueAt', '<=', NOW)
    .orderBy('dueAt')
    .limit(limit)
    .execute();
}
