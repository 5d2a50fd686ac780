// Adds up what the processes of the API have counted of entitlement checks.
import { addUpChecks } from '../domain/usage/check-count.store.ts';
import type { Database } from '../domain/platform/database.ts';
import type { Logger } from '../domain/platform/process/log.ts';
import { startPollLoop, type PollLoop } from './poll-loop.ts';

/** The longer, the more checks of one person become one write. */
const POLL_MS = 5_000;

type Parts = { database: Database; logger: Logger };

export function startCheckCounter({ database, logger }: Parts): PollLoop {
  return startPollLoop({
    work: () => addUpChecks(database.pool),
    pollMs: POLL_MS,
    logger,
    trouble: 'checks could not be added up',
  });
}
