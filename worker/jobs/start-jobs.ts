// The loops of a worker, by its roles. None of them needs Temporal to start: first attempts
// continue without it, and messages wait in their rows.
import type { WorkerRole } from '../../platform/config.ts';
import type { WakeChannel } from '../../platform/database/notify.ts';
import { startPublisher } from '../outbox-publisher.ts';
import { startDispatcher } from '../webhook-dispatcher.ts';
import { startAddUpChecks } from './add-up-checks.ts';
import type { BackgroundJob } from './background-job.ts';
import { startCloseEndpoints } from './close-endpoints.ts';
import { startFinishRemovedProducts } from './finish-removed-products.ts';

type Services = Parameters<typeof startDispatcher>[0] & Parameters<typeof startPublisher>[0];
type Job = BackgroundJob & { wokenBy?: WakeChannel };

/** The roles of the task queues have workflows and activities, and no loops but those of upkeep. */
export function startJobs(services: Services, roles: readonly WorkerRole[]) {
  const jobs: Job[] = [];
  if (roles.includes('dispatch')) {
    jobs.push(
      { ...startDispatcher(services), wokenBy: 'gatehouse_delivery' },
      { ...startPublisher(services), wokenBy: 'gatehouse_outbox' },
      startCloseEndpoints(services),
    );
  }
  if (roles.includes('upkeep')) {
    jobs.push(startAddUpChecks(services), startFinishRemovedProducts(services));
  }
  return {
    /** The notifications that wake one of them. */
    channels: jobs.flatMap(({ wokenBy }) => wokenBy ?? []),
    wake(channel: WakeChannel) {
      for (const job of jobs) if (job.wokenBy === channel) job.wake();
    },
    stop: async () => void (await Promise.all(jobs.map((job) => job.stop()))),
  };
}
