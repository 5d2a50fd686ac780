import { queueSalesDigest } from '../../domain/billing/notices/sales-notices.repository.ts';
import type { Services } from '../services.ts';

// Each is a transaction of some milliseconds: all fit into the activity's 15 seconds.
const MOST = 100;

export function createDigestActivities({ database }: Pick<Services, 'database'>) {
  return {
    /** Queues mails about days with more than three sales, once each is over. */
    async queueSalesDigests(): Promise<{ queued: number; isAnyLeft: boolean }> {
      for (let queued = 0; queued < MOST; queued += 1) {
        const isQueued = await database.transaction(queueSalesDigest);
        if (!isQueued) return { queued, isAnyLeft: false };
      }
      return { queued: MOST, isAnyLeft: true };
    },
  };
}
