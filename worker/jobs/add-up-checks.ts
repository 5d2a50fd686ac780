// Adds up the counts of entitlement checks of all API processes.
import { addUpChecks } from '../../domain/usage/check-count.query.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Logger } from '../../platform/log.ts';
import { startPollLoop, type PollLoop } from './poll-loop.ts';

/** A longer pause turns more checks of one person into one write. */
const POLL_MS = 5_000;
const AT_ONCE = 100;

type Parts = { database: Database; logger: Logger };

export function startCheckCounter({ database, logger }: Parts): PollLoop {
  let most = AT_ONCE;
  return startPollLoop({
    // As many batches as took too long would do so again.
    async work() {
      const tried = most;
      most = Math.ceil(tried / 2);
      const hasMore = await addUpChecks(database.pool, tried);
      most = Math.min(AT_ONCE, tried * 2);
      return hasMore;
    },
    pollMs: POLL_MS,
    logger,
    trouble: 'checks could not be added up',
  });
}
