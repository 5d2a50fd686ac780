import { ApplicationFailure } from '@temporalio/common';
import { recordAudit } from '../../domain/audit/audit.repository.ts';
import {
  loadDelivery,
  type DeliveryProgress,
  type DeliveryReport,
} from '../../domain/webhooks/deliveries/delivery.repository.ts';
import {
  retryCohortNow,
  retryNow,
  type Retried,
  type SeenRetry,
} from '../../domain/webhooks/deliveries/manual-retry.repository.ts';
import type { RetryAttempt } from '../../domain/webhooks/dispatch/claim.query.ts';
import type { EntityManager } from '../../platform/database/database.ts';
import type { Services } from '../services.ts';
import { sendAndRecord } from './send-and-record.ts';

export function createDeliveryActivities(services: Services) {
  const { database, claims } = services;

  /** Without its row there is nothing to do, now or later: the workflow fails and ends. */
  async function load(deliveryId: string): Promise<DeliveryProgress> {
    const found = await loadDelivery(database.em(), deliveryId);
    if (found) return found;
    throw ApplicationFailure.nonRetryable(`There is no delivery ${deliveryId}.`, 'DeliveryGone');
  }

  return {
    async readDelivery({ deliveryId }: { deliveryId: string }): Promise<DeliveryReport> {
      return { ...(await load(deliveryId)), isEarly: false };
    },

    /**
     * Makes one step of one attempt group when the row agrees that it is due; a repeat after a
     * crash is the same step.
     */
    async attemptDelivery(attempt: RetryAttempt): Promise<DeliveryReport> {
      const claimed = await claims.retry(attempt);
      if (claimed?.is === 'claimed') await sendAndRecord(services, [claimed.delivery]);
      const state = await load(attempt.deliveryId);
      const isSame = state.run === attempt.run && state.step === attempt.step;
      const isEarly = isSame && state.status === 'retrying';
      if (isEarly && claimed?.is === 'busy')
        state.remainingMs = claims.throttle.reserveDelayMs(claimed.endpointId);
      return { ...state, isEarly };
    },

    /** An operator's Update: the number of retries that are due now because of it. */
    async retryDeliveryNow(seen: SeenRetry): Promise<number> {
      return database.transaction(async (em) => {
        const retried = await retryNow(em, seen);
        if (retried === null) return 0;
        await recordRetryNow(em, { ...retried, subject: seen.deliveryId });
        return 1;
      });
    },

    /** The same for one delivery of a cohort, or for all. */
    async retryCohortNow(asked: { cohort: string; deliveryId: string | null }): Promise<number> {
      return database.transaction(async (em) => {
        const retried = await retryCohortNow(em, asked);
        const [first] = retried;
        if (first)
          await recordRetryNow(em, { ...first, subject: asked.deliveryId ?? asked.cohort });
        return retried.length;
      });
    },
  };
}

/** Temporal does not say who sent an Update. */
async function recordRetryNow(
  em: EntityManager,
  { productId, teamId, subject }: Retried & { subject: string },
): Promise<void> {
  await recordAudit(em, {
    by: { personId: null, ip: null },
    action: 'delivery.retried_now',
    subject,
    productId,
    teamId,
    detail: { via: 'Temporal' },
  });
}
