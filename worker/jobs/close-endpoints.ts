// Holds or cancels the deliveries of disabled or deleted endpoints, and wakes their workflows.
import type { Database } from '../../platform/database/database.ts';
import type { Logger } from '../../platform/log.ts';
import { closeDeliveries } from '../../domain/webhooks/endpoints/endpoint-closing.query.ts';
import { startPollLoop, type PollLoop } from './poll-loop.ts';

const POLL_MS = 1_000;

export function startEndpointCloser(parts: { database: Database; logger: Logger }): PollLoop {
  const { database, logger } = parts;
  return startPollLoop({
    work: async () => (await closeDeliveries(database.pool)) > 0,
    pollMs: POLL_MS,
    logger,
    trouble: 'deliveries of closed endpoints could not be held or cancelled',
  });
}
