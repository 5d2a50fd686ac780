import {
  loadDelivery,
  type DeliveryNews,
} from '../../domain/webhooks/deliveries/delivery.repository.ts';
import type { ClaimedDelivery } from '../../domain/webhooks/dispatch/claim.query.ts';
import { recordAttempts } from '../../domain/webhooks/dispatch/record.query.ts';
import type { Services } from '../index.ts';

type Attempt = { deliveryId: string; run: number; step: number };

export function createDeliveryActivities({ database, claims, sender }: Services) {
  const { pace } = claims;

  async function send(delivery: ClaimedDelivery): Promise<void> {
    const outcome = await sender.send(delivery);
    pace.note(delivery.endpointId, outcome.durationMs);
    await recordAttempts(database.pool, [{ delivery, outcome }]);
  }

  return {
    async readDelivery({ deliveryId }: { deliveryId: string }): Promise<DeliveryNews> {
      return { ...(await loadDelivery(database.em(), deliveryId)), isEarly: false };
    },

    /**
     * Makes one step of one attempt group when the row agrees that it is due; a repeat after a
     * crash is the same step.
     */
    async attemptDelivery(attempt: Attempt): Promise<DeliveryNews> {
      const claimed = await claims.retry(attempt);
      if (claimed?.is === 'claimed') await send(claimed.delivery);
      const state = await loadDelivery(database.em(), attempt.deliveryId);
      const isSame = state.run === attempt.run && state.step === attempt.step;
      const isEarly = isSame && state.status === 'retrying';
      if (isEarly && claimed?.is === 'busy') state.remainingMs = pace.bookMs(claimed.endpointId);
      return { ...state, isEarly };
    },
  };
}
