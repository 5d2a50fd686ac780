// Holds or cancels the deliveries of disabled or deleted endpoints, and wakes their workflows.
import type { Database } from '../../platform/database/database.ts';
import type { Logger } from '../../platform/log.ts';
import { closeDeliveries } from '../../domain/webhooks/deliveries/end-deliveries.query.ts';
import { startBackgroundJob, type BackgroundJob } from './background-job.ts';

const POLL_MS = 1_000;

export function startCloseEndpoints(parts: { database: Database; logger: Logger }): BackgroundJob {
  const { database, logger } = parts;
  return startBackgroundJob({
    work: async () => ((await closeDeliveries(database.pool)) > 0 ? 0 : POLL_MS),
    logger,
    failure: 'deliveries of closed endpoints could not be held or cancelled',
  });
}
