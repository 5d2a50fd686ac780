import { ApplicationFailure } from '@temporalio/common';
import {
  loadDelivery,
  type DeliveryProgress,
  type DeliveryReport,
} from '../../domain/webhooks/deliveries/delivery.repository.ts';
import type { RetryAttempt } from '../../domain/webhooks/dispatch/claim.query.ts';
import type { Services } from '../index.ts';
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
  };
}
