import type { EntityManager } from '../platform/database/database.ts';
import { removeSentMessages } from '../domain/outbox/outbox-upkeep.repository.ts';
import { removeOldNotifications } from '../domain/notifications/notification.repository.ts';
import {
  removeHandledEvents,
  removeOldClicks,
} from '../domain/billing/billing-upkeep.repository.ts';
import {
  disableFailingEndpoint,
  tellOfDeadDelivery,
} from '../domain/webhooks/endpoints/endpoint-trouble.repository.ts';
import {
  removeOldDeliveries,
  removeOldEvents,
  type Batch,
  type Place,
} from '../domain/webhooks/webhook-upkeep.repository.ts';
import type { Services } from './index.ts';

// What is left after so long, the next call takes: none must outlast its activity.
const PATIENCE_MS = 5_000;

// Each batch is a transaction of its own: no row stays locked for longer.
export function createRetentionActivities({ database }: Services) {
  /** Each at least once, and again while it says that more waits; true where some is left. */
  async function repeat(
    batches: readonly ((em: EntityManager) => Promise<boolean>)[],
  ): Promise<boolean> {
    const endsAt = performance.now() + PATIENCE_MS;
    let isAnyLeft = false;
    for (const batch of batches) {
      let isLeft: boolean;
      do isLeft = await database.transaction(batch);
      while (isLeft && performance.now() < endsAt);
      isAnyLeft ||= isLeft;
    }
    return isAnyLeft;
  }

  /** The place where the next call goes on; null at the end. */
  async function walk(batch: Batch, after: Place | null): Promise<Place | null> {
    const endsAt = performance.now() + PATIENCE_MS;
    let place = after;
    do place = await database.transaction((em) => batch(em, place));
    while (place && performance.now() < endsAt);
    return place;
  }

  return {
    /** Disables endpoints that do nothing but fail, and tells those who look after them. */
    watchEndpoints: () => repeat([disableFailingEndpoint, tellOfDeadDelivery]),

    removeOldDeliveries: (after: Place | null) => walk(removeOldDeliveries, after),

    removeOldEvents: (after: Place | null) => walk(removeOldEvents, after),

    /** The other records whose time is over; true where more wait. */
    removeOldRecords: () =>
      repeat([removeSentMessages, removeHandledEvents, removeOldClicks, removeOldNotifications]),
  };
}
