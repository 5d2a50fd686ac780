// What people do to a delivery by hand. The workflow that the row names is signalled, and started where
// none runs.
import { inTransaction, type EntityManager } from '../../../platform/database/database.ts';
import { recordAudit, type Actor, type AuditEntry } from '../../audit/audit.repository.ts';
import {
  cohortWorkflow,
  deliveryWorkflow,
  drivingWorkflow,
} from '../../outbox/workflow-targets.ts';
import { sendToWorkflow } from '../../outbox/outbox.repository.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import {
  isQueued,
  makeCohortDueNow,
  makeDueNow,
  queueAgain,
  type SeenRetry,
  type SeenRun,
} from './retry.repository.ts';

/**
 * Sends a dead or succeeded delivery again: the same bytes, in a new attempt group, once for each run
 * that a person saw. The row decides, in `queueAgain`.
 */
export async function sendDeliveryAgain(
  em: EntityManager,
  { teamId, by, ...seen }: SeenRun & { teamId: string | null; by: Actor },
): Promise<{ queued: true } | Refusal<'already_queued' | 'not_sendable'>> {
  return inTransaction(em, async (em) => {
    const { deliveryId, productId } = seen;
    const queued = await queueAgain(em, seen);
    if (!queued) return refuse((await isQueued(em, seen)) ? 'already_queued' : 'not_sendable');
    const { run, hadSucceeded } = queued;
    await sendToWorkflow(em, deliveryWorkflow(deliveryId), { kind: 'retry', run });
    const action = hadSucceeded ? 'delivery.sent_again' : 'delivery.retried';
    await recordAudit(em, { by, action, subject: deliveryId, productId, teamId });
    return { queued: true };
  });
}

/** Makes the retry that was seen due now; the schedule goes on after it. */
export async function retryDeliveryNow(
  em: EntityManager,
  { by, ...seen }: SeenRetry & { by?: Actor },
): Promise<{ retried: true } | Refusal<'not_waiting'>> {
  return inTransaction(em, async (em) => {
    const { deliveryId, run, step } = seen;
    const moved = await makeDueNow(em, seen);
    if (!moved) return refuse('not_waiting');
    const { cohort, ...product } = moved;
    await sendToWorkflow(em, drivingWorkflow({ deliveryId, cohort }), RETRY_NOW);
    const entry = by ? { by, detail: { run, step } } : FROM_TEMPORAL;
    await recordAudit(em, { ...RETRIED_NOW, ...entry, subject: deliveryId, ...product });
    return { retried: true };
  });
}

/** Makes the retries of a cohort due now: that of one delivery, or all. Returns their number. */
export async function retryCohortNow(
  em: EntityManager,
  input: { cohort: string; deliveryId: string | null },
): Promise<number> {
  return inTransaction(em, async (em) => {
    const { cohort, deliveryId } = input;
    const moved = await makeCohortDueNow(em, input);
    const [first] = moved;
    if (first) {
      await sendToWorkflow(em, cohortWorkflow(cohort), RETRY_NOW);
      const subject = deliveryId ?? cohort;
      await recordAudit(em, { ...RETRIED_NOW, ...FROM_TEMPORAL, subject, ...first });
    }
    return moved.length;
  });
}

const RETRY_NOW = { kind: 'retry_now' };

const RETRIED_NOW = { action: 'delivery.retried_now' } as const;

/** Temporal does not say who sent an Update. */
const FROM_TEMPORAL: Pick<AuditEntry, 'by' | 'detail'> = {
  by: { personId: null, ip: null },
  detail: { via: 'Temporal' },
};
