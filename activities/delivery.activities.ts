import { loadDelivery, type DeliveryState } from '../domain/webhooks/delivery.store.ts';
import { claimRetry, recordRetry } from '../domain/webhooks/dispatch.store.ts';
import type { Services } from './index.ts';

/** `isEarly`: the step is not due yet by the database's clock; nothing was sent. */
export type DeliveryNews = DeliveryState & { isEarly: boolean };

type Attempt = { deliveryId: string; run: number; step: number };

export function createDeliveryActivities({ database, sender }: Services) {
  return {
    async readDelivery({ deliveryId }: { deliveryId: string }): Promise<DeliveryNews> {
      return { ...(await loadDelivery(database.em(), deliveryId)), isEarly: false };
    },

    /** One step of one run, if the row agrees that it is due; repeated after a crash it is the same step. */
    async attemptDelivery(attempt: Attempt): Promise<DeliveryNews> {
      const claimed = await claimRetry(database.pool, attempt);
      if (claimed) {
        const outcome = await sender.send(claimed);
        await recordRetry(database.pool, { delivery: claimed, outcome });
      }
      const state = await loadDelivery(database.em(), attempt.deliveryId);
      const isSame = state.run === attempt.run && state.step === attempt.step;
      return { ...state, isEarly: isSame && state.status === 'retrying' };
    },
  };
}
