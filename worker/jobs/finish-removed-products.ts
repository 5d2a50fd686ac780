// Notifies about excluded products; closes checkouts, subscriptions, access and then endpoints of
// removed products; revokes the consents to deleted clients.
import { closeActivationsOfExcluded } from '../../domain/entitlements/memberships/activated-products.repository.ts';
import {
  closeRemovedEndpoints,
  withdrawRemoved,
} from '../../domain/entitlements/withdraw-all-access.repository.ts';
import { closeCheckoutsOfRemoved } from '../../domain/billing/checkout/checkout.repository.ts';
import { closeSubscriptionsOfRemoved } from '../../domain/billing/product-subscriptions/subscription.repository.ts';
import { endConsentsOfDeletedClients } from '../../domain/oauth/connected-apps.command.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Logger } from '../../platform/log.ts';
import { startBackgroundJob } from './background-job.ts';

const POLL_MS = 5_000;

type Parts = { database: Database; logger: Logger; pollMs?: number };

export function startFinishRemovedProducts({ database, logger, pollMs = POLL_MS }: Parts) {
  return startBackgroundJob({
    async work() {
      if ((await database.transaction(closeCheckoutsOfRemoved)) > 0) return 0;
      if ((await database.transaction(closeSubscriptionsOfRemoved)) > 0) return 0;
      if ((await database.transaction(closeActivationsOfExcluded)) > 0) return 0;
      if ((await withdrawRemoved(database)) > 0) return 0;
      if ((await endConsentsOfDeletedClients(database.em())) > 0) return 0;
      await closeRemovedEndpoints(database.em());
      return pollMs;
    },
    logger,
    failure: 'removed products could not be finished',
  });
}
