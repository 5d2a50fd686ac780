import {
  loadDelivery,
  type DeliveryNews,
} from '../../domain/webhooks/deliveries/delivery.repository.ts';
import type { RetryAttempt } from '../../domain/webhooks/dispatch/claim.query.ts';
import type { Services } from '../index.ts';
import { sendAndRecord } from './send-and-record.ts';

export function createDeliveryActivities(services: Services) {
  const { database, claims } = services;

  return {
    async readDelivery({ deliveryId }: { deliveryId: string }): Promise<DeliveryNews> {
      return { ...(await loadDelivery(database.em(), deliveryId)), isEarly: false };
    },

    /**
     * Makes one step of one attempt group when the row agrees that it is due; a repeat after a
     * crash is the same step.
     */
    async attemptDelivery(attempt: RetryAttempt): Promise<DeliveryNews> {
      const claimed = await claims.retry(attempt);
      if (claimed?.is === 'claimed') await sendAndRecord(services, [claimed.delivery]);
      const state = await loadDelivery(database.em(), attempt.deliveryId);
      const isSame = state.run === attempt.run && state.step === attempt.step;
      const isEarly = isSame && state.status === 'retrying';
      if (isEarly && claimed?.is === 'busy')
        state.remainingMs = claims.pace.bookMs(claimed.endpointId);
      return { ...state, isEarly };
    },
  };
}
