// Adds up what the processes of the API have counted of entitlement checks.
import { addUpChecks } from '../../domain/usage/check-count.repository.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Logger } from '../../platform/log.ts';
import { startPollLoop, type PollLoop } from './poll-loop.ts';

/** The longer, the more checks of one person become one write. */
const POLL_MS = 5_000;
const AT_ONCE = 100;

type Parts = { database: Database; logger: Logger };

export function startCheckCounter({ database, logger }: Parts): PollLoop {
  let most = AT_ONCE;
  return startPollLoop({
    // As many as took too long would do so again.
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
