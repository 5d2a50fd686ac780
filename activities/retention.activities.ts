import type { EntityManager } from '../platform/database/database.ts';
import { removeSentMessages } from '../domain/outbox/outbox.repository.ts';
import { removeOldNotifications } from '../domain/notifications/notification.repository.ts';
import {
  removeHandledEvents,
  removeOldClicks,
} from '../domain/billing/billing-upkeep.repository.ts';
import {
  disableFailingEndpoint,
  notifyOfDeadDelivery,
} from '../domain/webhooks/endpoints/endpoint-failure.repository.ts';
import {
  removeOldDeliveries,
  removeOldEvents,
  type Batch,
  type Place,
} from '../domain/webhooks/retention.query.ts';
import type { Services } from './index.ts';

// The next call takes the rest: no call may outlast its activity.
const PATIENCE_MS = 5_000;

// Each batch is a transaction of its own, so no row stays locked for longer.
export function createRetentionActivities({ database }: Services) {
  /** Runs each batch once, and again while more waits; true when some is left. */
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

  /** Returns the place where the next call continues; null at the end. */
  async function walk(batch: Batch, after: Place | null): Promise<Place | null> {
    const endsAt = performance.now() + PATIENCE_MS;
    let place = after;
    do place = await database.transaction((em) => batch(em, place));
    while (place && performance.now() < endsAt);
    return place;
  }

  return {
    /** Disables endpoints that only fail, and notifies about dead deliveries. */
    watchEndpoints: () => repeat([disableFailingEndpoint, notifyOfDeadDelivery]),

    removeOldDeliveries: (after: Place | null) => walk(removeOldDeliveries, after),

    removeOldEvents: (after: Place | null) => walk(removeOldEvents, after),

    /** Removes the other old records; true when more wait. */
    removeOldRecords: () =>
      repeat([removeSentMessages, removeHandledEvents, removeOldClicks, removeOldNotifications]),
  };
}
