import type { EntityManager } from '../../../platform/database/database.ts';
import { NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import type { RetryAttempt } from './claim-deliveries.query.ts';
import { endpointHost } from '../endpoints/shown-host.ts';
import type { ErrorClass } from './delivery.entity.ts';

/** The deliveries of a cohort that have not succeeded; times come from the database's clock. */
export type CohortProgress = {
  productId: string;
  endpointId: string;
  endpointHost: string;
  /** The deliveries with a retry ahead. */
  open: number;
  dead: number;
  /** The earliest retry ahead, 1 to 5; null when none is open. */
  step: number | null;
  dueAt: string | null;
  remainingMs: number;
  /** The last status of the next retry's delivery, or of a dead one. */
  lastStatusCode: number | null;
  lastError: ErrorClass | null;
};

/** Returns null when all have succeeded or left. */
export async function loadCohort(
  em: EntityManager,
  cohort: string,
): Promise<CohortProgress | null> {
  const found = await kysely(em)
    .selectFrom('deliveryState as d')
    .innerJoin('webhookEndpoint as e', 'e.id', 'd.endpointId')
    .where('cohort', '=', cohort)
    .groupBy(['d.productId', 'd.endpointId', 'e.url'])
    .select(['d.productId', 'd.endpointId', 'e.url', NOW.as('now')])
    .select(({ fn }) => [
      fn.countAll<number>().filterWhere('status', '=', 'retrying').as('open'),
      fn.countAll<number>().filterWhere('status', '=', 'dead').as('dead'),
      fn.min('step').filterWhere('status', '=', 'retrying').as('step'),
      fn.min('dueAt').filterWhere('status', '=', 'retrying').as('dueAt'),
    ])
    .executeTakeFirst();
  if (!found) return null;
  const { now, dueAt, url, ...progress } = found;
  const remainingMs = dueAt === null ? 0 : Math.max(0, dueAt.getTime() - now.getTime());
  const shown = { endpointHost: endpointHost(url), dueAt: dueAt?.toISOString() ?? null };
  const last = await findLastAnswer(em, cohort, progress.open > 0 ? 'retrying' : 'dead');
  return { ...progress, ...shown, ...last, remainingMs };
}

async function findLastAnswer(em: EntityManager, cohort: string, status: 'retrying' | 'dead') {
  const found = await kysely(em)
    .selectFrom('attempt')
    .select(['statusCode as lastStatusCode', 'error as lastError'])
    .where('deliveryId', '=', ({ selectFrom }) =>
      selectFrom('deliveryState')
        .select('deliveryId')
        .where('cohort', '=', cohort)
        .where('status', '=', status)
        .orderBy('dueAt')
        .limit(1),
    )
    .orderBy('run', 'desc')
    .orderBy('step', 'desc')
    .limit(1)
    .executeTakeFirst();
  return found ?? { lastStatusCode: null, lastError: null };
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
