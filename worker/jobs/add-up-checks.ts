// Adds up the counts of entitlement checks of all API processes.
import { addUpChecks } from '../../domain/usage/check-count.query.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Logger } from '../../platform/log.ts';
import { startBackgroundJob, type BackgroundJob } from './background-job.ts';

/** A longer pause turns more checks of one person into one write. */
const POLL_MS = 5_000;
const MAX_BATCHES = 100;

type Parts = { database: Database; logger: Logger };

export function startAddUpChecks({ database, logger }: Parts): BackgroundJob {
  let most = MAX_BATCHES;
  return startBackgroundJob({
    // As many batches as took too long would do so again.
    async work() {
      const tried = most;
      most = Math.ceil(tried / 2);
      const hasMore = await addUpChecks(database.pool, tried);
      most = Math.min(MAX_BATCHES, tried * 2);
      return hasMore ? 0 : POLL_MS;
    },
    logger,
    failure: 'checks could not be added up',
  });
}
