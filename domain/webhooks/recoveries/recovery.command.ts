import {
  inTransaction,
  LOCK,
  now,
  type EntityManager,
} from '../../../platform/database/database.ts';
import { recordAudit, type Actor } from '../../audit/audit.repository.ts';
import { deliveryWorkflow, recoveryWorkflow } from '../../outbox/workflow-targets.ts';
import { sendToWorkflow, sendToWorkflows } from '../../outbox/outbox.repository.ts';
import { newUuid } from '../../shared/ids.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { Recovery } from './recovery.entity.ts';
import {
  countRecoverable,
  hasRunningRecovery,
  insertRecovery,
  queueFound,
  selectRecoverable,
  type RecoveryFilter,
} from './recovery.repository.ts';

export type RecoveryRefusal = 'already_running' | 'nothing_found';

/** Starts a recovery of what the filter finds; one of a product runs at a time. */
export async function startRecovery(
  em: EntityManager,
  {
    by,
    teamId,
    ...filter
  }: RecoveryFilter & { teamId: string | null; by: Actor & { personId: string } },
): Promise<{ recoveryId: string; total: number } | Refusal<RecoveryRefusal>> {
  return inTransaction(em, async (em) => {
    const { productId, endpointId, eventName: event, statuses, since } = filter;
    const total = await countRecoverable(em, filter);
    if (total === 0) {
      const isRunning = await hasRunningRecovery(em, productId);
      return refuse(isRunning ? 'already_running' : 'nothing_found');
    }
    const id = newUuid();
    const isStarted = await insertRecovery(em, { ...filter, id, startedBy: by.personId, total });
    if (!isStarted) return refuse('already_running');
    await sendToWorkflow(em, recoveryWorkflow(id), {});
    const detail = { endpointId, event, statuses, since: since.toISOString(), total };
    const entry = { action: 'delivery.recovered', subject: id, detail } as const;
    await recordAudit(em, { ...entry, by, productId, teamId });
    return { recoveryId: id, total };
  });
}

export type RecoveryProgress = {
  status: 'running' | 'completed';
  productId: string;
  done: number;
  total: number;
  queued: number;
};

const BATCH = 500;

/**
 * Queues the next batch of a recovery with its progress: after a crash it continues where the row
 * says. Of two at once the second continues after the first.
 */
export async function recoverBatch(
  em: EntityManager,
  recoveryId: string,
): Promise<RecoveryProgress> {
  return inTransaction(em, async (em) => {
    const recovery = await em.findOne(Recovery, recoveryId, LOCK);
    if (!recovery) throw new Error(`there is no recovery ${recoveryId}`);
    if (recovery.status === 'running') {
      const limit = Math.min(BATCH, recovery.total - recovery.done);
      const { afterAt, afterId, statuses, ...filter } = recovery;
      const after = afterAt === null || afterId === null ? null : { at: afterAt, id: afterId };
      const bounds = { after, limit };
      const found = await selectRecoverable(em, { ...filter, statuses }, bounds).execute();
      const deliveryIds = found.map(({ id }) => id);
      const queued = await queueFound(em, { statuses, deliveryIds });
      const retrying = queued.filter(({ status }) => status === 'retrying');
      for (const [run, deliveries] of Map.groupBy(retrying, (delivery) => delivery.run)) {
        const targets = deliveries.map(({ deliveryId }) => deliveryWorkflow(deliveryId));
        await sendToWorkflows(em, targets, { kind: 'retry', run });
      }
      recovery.done += found.length;
      recovery.queued += queued.length;
      if (found.length < limit) recovery.total = recovery.done;
      if (recovery.done === recovery.total) {
        recovery.status = 'completed';
        recovery.finishedAt = await now(em);
      }
      const last = found.at(-1);
      if (last) Object.assign(recovery, { afterAt: last.at, afterId: last.id });
    }
    const { status, productId, done, total, queued } = recovery;
    return { status, productId, done, total, queued };
  });
}
