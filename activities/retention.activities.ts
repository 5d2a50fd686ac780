import { isLockTimeout, type EntityManager } from '../platform/database/database.ts';
import { removeSentMessages } from '../domain/outbox/outbox.repository.ts';
import { removeOldNotifications } from '../domain/notifications/notification.repository.ts';
import { removeOldSealRows } from '../domain/seal/review.repository.ts';
import { erasePoolKeys } from '../domain/pool/period/period-keys.repository.ts';
import { removeHandledEvents } from '../domain/billing/processor-inbox/covered-events.repository.ts';
import { removeUnusedImages } from '../domain/catalog/pictures/picture.repository.ts';
import { removeOldImports } from '../domain/catalog/imports/listing-import.repository.ts';
import { runEach } from '../domain/shared/run-each.ts';
import { checkReferences } from '../domain/retention/dangling-references.repository.ts';
import {
  checkMonthsAhead,
  dropPartition,
  makePartitions,
} from '../domain/retention/partitions.repository.ts';
import {
  disableFailingEndpoint,
  notifyOfDeadDelivery,
} from '../domain/webhooks/endpoints/failing-endpoints.command.ts';
import {
  detachDeletedPeople,
  removeOldSums,
  sumNextProduct,
} from '../domain/usage/history/usage-sums.repository.ts';
import { ratePopularityNightly } from '../domain/product-figures/popularity.repository.ts';
import {
  removeOldFigures,
  sumProductFigures,
} from '../domain/product-figures/product-figures.query.ts';
import { endOldDeliveries } from '../domain/webhooks/deliveries/end-deliveries.query.ts';
import type { Services } from './services.ts';

// The next call takes the rest: no call may outlast its activity.
const MAX_DURATION_MS = 5_000;

/** True when more waits. */
type Batch = (em: EntityManager) => Promise<boolean>;

const OLD_RECORDS = [
  endOldDeliveries,
  removeSentMessages,
  removeHandledEvents,
  removeOldNotifications,
  removeOldSealRows,
  removeOldSums,
  removeOldFigures,
  removeUnusedImages,
  removeOldImports,
  erasePoolKeys,
];

// Each batch is a transaction of its own, so no row stays locked for longer.
export function createRetentionActivities({ database, logger }: Services) {
  /** Runs each batch once, and again while more waits; true when some is left. One that fails stops no other. */
  async function repeat(batches: readonly Batch[]): Promise<boolean> {
    const endsAt = performance.now() + MAX_DURATION_MS;
    let isAnyLeft = false;
    const finish = async (batch: Batch) => {
      let isLeft: boolean;
      do isLeft = await database.transaction(batch);
      while (isLeft && performance.now() < endsAt);
      isAnyLeft ||= isLeft;
    };
    await runEach(...batches.map((batch) => () => finish(batch)));
    return isAnyLeft;
  }

  /** A statement that holds a table's lock for long is not waited for: the next run drops the part. */
  async function dropPartitions(): Promise<void> {
    try {
      let isAnyLeft: boolean;
      do isAnyLeft = await database.transaction(dropPartition);
      while (isAnyLeft);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
    }
  }

  async function prepareParts(): Promise<void> {
    try {
      await database.transaction(makePartitions);
    } finally {
      await database.transaction(checkMonthsAhead);
    }
  }

  return {
    async checkReferences(): Promise<Record<string, number>> {
      const broken = await database.transaction(checkReferences);
      if (Object.keys(broken).length > 0) {
        logger.error({ alert: 'reference_broken', broken }, 'rows refer to missing rows');
      }
      return broken;
    },

    /** Disables endpoints that only fail, and notifies about dead deliveries. */
    watchEndpoints: () => repeat([disableFailingEndpoint, notifyOfDeadDelivery]),

    /**
     * Makes months and days ahead, and drops old months and days; removes the other old records;
     * true when more wait.
     */
    async removeOldRecords(): Promise<boolean> {
      let isAnyLeft = false;
      await runEach(
        prepareParts,
        async () => void (isAnyLeft = await repeat(OLD_RECORDS)),
        dropPartitions,
      );
      return isAnyLeft;
    },

    /**
     * Sums usage of days that are over, and once a day is, leaves the evidence of deleted accounts
     * without them; true when more waits.
     */
    async sumUsage(): Promise<boolean> {
      const endsAt = performance.now() + MAX_DURATION_MS;
      let done: Awaited<ReturnType<typeof sumNextProduct>>;
      do {
        done = await sumNextProduct(database);
        if (done === 'closed') while (await detachDeletedPeople(database));
      } while (done !== null && performance.now() < endsAt);
      return done !== null;
    },

    /** Sums the last days of all products for their overviews; once a night, rates their use. */
    sumFigures: () => sumProductFigures(database.pool).then(() => ratePopularityNightly(database)),
  };
}
