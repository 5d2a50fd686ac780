import type { EntityManager } from '../domain/platform/database.ts';
import { removeSentMessages } from '../domain/platform/outbox/outbox-upkeep.store.ts';
import { removeOldNotifications } from '../domain/notifications/notification.store.ts';
import { removeHandledEvents, removeOldClicks } from '../domain/selling/selling-upkeep.store.ts';
import {
  disableFailingEndpoint,
  tellOfDeadDelivery,
} from '../domain/webhooks/endpoint-trouble.store.ts';
import { removeOldDeliveries, removeOldEvents } from '../domain/webhooks/webhook-upkeep.store.ts';
import type { Services } from './index.ts';

/** One batch; true where more wait. */
type Batch = (em: EntityManager) => Promise<boolean>;

// What is left after so long, the next visit takes: upkeep must not outlast its activity.
const PATIENCE_MS = 5_000;

export function createRetentionActivities({ database }: Services) {
  /** Each batch is a transaction of its own: no row stays locked for longer. */
  async function repeat(batches: readonly Batch[]): Promise<void> {
    const endsAt = performance.now() + PATIENCE_MS;
    for (const batch of batches) {
      while ((await database.transaction(batch)) && performance.now() < endsAt);
    }
  }

  return {
    /** Disables endpoints that do nothing but fail, and tells those who look after them. */
    watchEndpoints: () => repeat([disableFailingEndpoint, tellOfDeadDelivery]),

    /** Records whose time is over, in bounded batches. */
    removeOldRecords: () =>
      repeat([
        removeOldDeliveries,
        removeOldEvents,
        removeSentMessages,
        removeHandledEvents,
        removeOldClicks,
        removeOldNotifications,
      ]),
  };
}
