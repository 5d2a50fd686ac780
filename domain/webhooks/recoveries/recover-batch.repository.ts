import type { InferEntity } from '@mikro-orm/core';
import { deliveryActor } from '../../outbox/actors.ts';
import { sendToActors } from '../../outbox/outbox.repository.ts';
import { LOCK, now, type EntityManager } from '../../../platform/database/database.ts';
import { anyOf, NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { Recovery } from './recovery.entity.ts';
import type { Recoverable } from './recovery.ts';
import { selectRecoverable } from './recovery.repository.ts';

export type RecoveryProgress = {
  status: 'running' | 'completed';
  productId: string;
  done: number;
  total: number;
  queued: number;
};

const BATCH = 500;

/**
 * Queues the next batch of a recovery in one transaction with its progress: after a crash it
 * continues where the row says. The row is locked, so that of two at once the second continues
 * after the first.
 */
export async function recoverBatch(
  em: EntityManager,
  recoveryId: string,
): Promise<RecoveryProgress> {
  const recovery = await em.findOne(Recovery, recoveryId, LOCK);
  if (!recovery) throw new Error(`there is no recovery ${recoveryId}`);
  if (recovery.status === 'running') {
    const limit = Math.min(BATCH, recovery.total - recovery.done);
    const found = await findNext(em, recovery, limit);
    recovery.done += found.length;
    recovery.queued += await queueAgain(em, recovery, found);
    if (found.length < limit) recovery.total = recovery.done;
    if (recovery.done === recovery.total) {
      recovery.status = 'completed';
      recovery.finishedAt = await now(em);
    }
    const last = found.at(-1);
    if (last) Object.assign(recovery, { afterAt: last.at, afterId: last.id });
    await em.flush();
  }
  const { status, productId, done, total, queued } = recovery;
  return { status, productId, done, total, queued };
}

type LockedRecovery = InferEntity<typeof Recovery>;
type Found = { id: string; at: Date };

async function findNext(
  em: EntityManager,
  { afterAt, afterId, ...filter }: LockedRecovery,
  limit: number,
): Promise<Found[]> {
  const after = afterAt === null || afterId === null ? null : { at: afterAt, id: afterId };
  return selectRecoverable(em, filter, { after, limit }).execute();
}

/**
 * A dead delivery gets a new group by its own workflow, as by Retry. A held one returns to the
 * dispatcher, as a new group when it was tried before, so that its attempts stay apart.
 */
async function queueAgain(
  em: EntityManager,
  { statuses }: LockedRecovery,
  found: readonly Found[],
): Promise<number> {
  if (found.length === 0) return 0;
  const queued = await kysely(em)
    .updateTable('deliveryState as d')
    .from('webhookEndpoint as e')
    .set(({ eb, lit, or }) => {
      const wasTried = or([eb('d.status', '=', 'dead'), eb('d.step', '>', 0)]);
      return {
        status: eb
          .case()
          .when('d.status', '=', 'dead')
          .then('retrying' as const)
          .else('pending' as const)
          .end(),
        run: eb('d.run', '+', eb.case().when(wasTried).then(lit(1)).else(lit(0)).end()),
        step: 0,
        dueAt: NOW,
        finishedAt: null,
        cohort: null,
      };
    })
    .where('d.deliveryId', '=', anyOf(found.map(({ id }) => id)))
    .where('d.status', '=', anyOf(statuses as Recoverable[]))
    .whereRef('e.id', '=', 'd.endpointId')
    .where('e.disabledAt', 'is', null)
    .where('e.deletedAt', 'is', null)
    .returning(['d.deliveryId', 'd.run', 'd.status'])
    .execute();
  const retrying = queued.filter(({ status }) => status === 'retrying');
  for (const [run, deliveries] of Map.groupBy(retrying, (delivery) => delivery.run)) {
    const actors = deliveries.map(({ deliveryId }) => deliveryActor(deliveryId));
    await sendToActors(em, actors, { kind: 'retry', run });
  }
  return queued.length;
}
