// What people do to a delivery by hand. The row decides, by one conditional statement each.
import { sql, type ExpressionBuilder } from 'kysely';
import type { EntityManager } from '../../../platform/database/database.ts';
import { NOW } from '../../../platform/database/expressions.ts';
import { kysely, type Tables } from '../../kysely.ts';
import { deliveries, type DeliveryKey } from './delivery.repository.ts';

/** The attempt group that the person saw: a second click finds a newer one. */
export type SeenRun = DeliveryKey & { run: number };

/**
 * Queues a dead or succeeded delivery again: a new group with the same bytes, one attempt at once,
 * then the full schedule. It leaves its cohort. A succeeded delivery has no state, so it gets one.
 * Null when the row allows none.
 */
export async function queueAgain(
  em: EntityManager,
  { deliveryId, productId, run }: SeenRun,
): Promise<{ run: number; hadSucceeded: boolean } | null> {
  const queued = await kysely(em)
    .insertInto('deliveryState')
    .columns(['deliveryId', 'productId', 'endpointId', 'createdAt', 'status', 'run', 'dueAt'])
    .expression(
      deliveries(em)
        .selectFrom('deliveryNow as d')
        .innerJoin('webhookEndpoint as e', 'e.id', 'd.endpointId')
        .select(['d.id', 'd.productId', 'd.endpointId', 'd.createdAt'])
        .select(({ eb }) => [
          sql.lit('retrying' as const).as('status'),
          eb('d.run', '+', 1).as('run'),
          NOW.as('dueAt'),
        ])
        .where('d.id', '=', deliveryId)
        .where('d.productId', '=', productId)
        .where('d.run', '=', run)
        .where('d.status', 'in', ['dead', 'succeeded'])
        .where('e.disabledAt', 'is', null)
        .where('e.deletedAt', 'is', null),
    )
    .onConflict((conflict) =>
      conflict
        .column('deliveryId')
        .doUpdateSet(({ ref }) => ({
          status: 'retrying',
          run: ref('excluded.run'),
          step: 0,
          dueAt: NOW,
          finishedAt: null,
          cohort: null,
        }))
        .where('deliveryState.status', '=', 'dead')
        .where('deliveryState.run', '=', run),
    )
    .returning(['deliveryState.run', sql<boolean>`old.status is null`.as('hadSucceeded')])
    .executeTakeFirst();
  return queued ?? null;
}

/** True also when the group of the click before is already through. */
export async function isQueued(
  em: EntityManager,
  { deliveryId, productId, run }: SeenRun,
): Promise<boolean> {
  const found = await deliveries(em)
    .selectFrom('deliveryNow')
    .select(['status', 'run'])
    .where('id', '=', deliveryId)
    .where('productId', '=', productId)
    .executeTakeFirst();
  if (!found) return false;
  return found.status === 'pending' || found.status === 'retrying' || found.run > run;
}

/** A workflow that runs takes up a due retry sooner. */
const UNTAKEN_SINCE = sql<Date>`${NOW} - interval '10 seconds'`;

/**
 * The retries that wait for their time, and those that are due but nothing sends, as when their
 * workflow was terminated. A retry that is under way is not among them: its lease lasts until its
 * outcome is recorded, which moves the row to another step.
 */
const waitingRetries = (em: EntityManager) =>
  kysely(em)
    .updateTable('deliveryState as d')
    .set({ dueAt: NOW })
    .where('d.status', '=', 'retrying')
    .where(({ eb, or }) => or([eb('d.dueAt', '>', NOW), eb('d.dueAt', '<', UNTAKEN_SINCE)]))
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('deliveryLease as l')
            .select('l.token')
            .whereRef('l.endpointId', '=', 'd.endpointId')
            .whereRef('l.deliveryId', '=', 'd.deliveryId')
            .where('l.until', '>', NOW),
        ),
      ),
    );

/** The retry that the person or the workflow saw: a late click moves no later one. */
export type SeenRetry = { deliveryId: string; run: number; step: number };

/** The product of the retry with its team, for the audit trail. */
type MovedRetry = { productId: string; teamId: string | null };

/** Makes the next retry due now; null when this retry does not wait any more. */
export async function makeDueNow(
  em: EntityManager,
  { deliveryId, run, step }: SeenRetry,
): Promise<(MovedRetry & { cohort: string | null }) | null> {
  const retried = await waitingRetries(em)
    .where('d.deliveryId', '=', deliveryId)
    .where('d.run', '=', run)
    .where('d.step', '=', step)
    .returning(['d.productId', 'd.cohort', teamOfProduct])
    .executeTakeFirst();
  return retried ?? null;
}

const teamOfProduct = ({
  selectFrom,
}: ExpressionBuilder<Tables & { d: Tables['deliveryState'] }, 'd'>) =>
  selectFrom('product')
    .select('ownerTeamId')
    .whereRef('product.id', '=', 'd.productId')
    .as('teamId');

/** Makes the retries of a cohort due now: that of one delivery, or all. */
export async function makeCohortDueNow(
  em: EntityManager,
  { cohort, deliveryId }: { cohort: string; deliveryId: string | null },
): Promise<MovedRetry[]> {
  return waitingRetries(em)
    .where('d.cohort', '=', cohort)
    .$if(deliveryId !== null, (query) => query.where('d.deliveryId', '=', deliveryId))
    .returning(['d.productId', teamOfProduct])
    .execute();
}
