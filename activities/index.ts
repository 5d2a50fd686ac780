import { createCohortActivities } from './webhooks/cohort.activities.ts';
import { createDeliveryActivities } from './webhooks/delivery.activities.ts';
import { createDigestActivities } from './mail/digest.activities.ts';
import { createEntitlementActivities } from './entitlement.activities.ts';
import { createImportActivities } from './import.activities.ts';
import { createLedgerActivities } from './billing/ledger.activities.ts';
import { createMailActivities } from './mail/mail.activities.ts';
import { createMembershipActivities } from './billing/membership.activities.ts';
import { createPoolPeriodActivities } from './pool/period.activities.ts';
import { createPoolPayoutActivities } from './pool/payout.activities.ts';
import { createPurchaseActivities } from './billing/purchase.activities.ts';
import { createProcessorListActivities } from './billing/processor-lists.activities.ts';
import { withInputs } from './input.ts';
import { createReconcileActivities } from './billing/reconcile.activities.ts';
import { createRefundActivities } from './billing/refund.activities.ts';
import { createRetentionActivities } from './retention.activities.ts';
import { createSealActivities } from './seal.activities.ts';
import { createSubscriptionActivities } from './billing/subscription.activities.ts';
import type { Services } from './services.ts';
import { createSweepActivities } from './sweep/sweep.activities.ts';
import { createUpkeepActivities } from './upkeep.activities.ts';
import { heartbeat } from '@temporalio/activity';

/** All activities of the workflows. */
export function createActivities(services: Services) {
  const activities = {
    ...createPurchaseActivities(services),
    ...createCohortActivities(services),
    ...createDeliveryActivities(services),
    ...createDigestActivities(services),
    ...createEntitlementActivities(services),
    ...createImportActivities(services),
    ...createLedgerActivities(services),
    ...createMailActivities(services),
    ...createMembershipActivities(services),
    ...createPoolPeriodActivities(services),
    ...createPoolPayoutActivities(services),
    ...createProcessorListActivities(services),
    ...createReconcileActivities(services),
    ...createRefundActivities(services),
    ...createRetentionActivities(services),
    ...createSealActivities(services),
    ...createSubscriptionActivities(services),
    ...createSweepActivities(services),
    ...createUpkeepActivities(services),
  };
  return withHeartbeats(withInputs(activities));
}

export type Activities = ReturnType<typeof createActivities>;

const EVERY_MS = 1_000;

type Activity = (input: never) => Promise<unknown>;

/** Lets Temporal notice within seconds that the worker of an activity was lost. */
function withHeartbeats<Activities extends Record<string, Activity>>(
  activities: Activities,
): Activities {
  const beating = Object.entries(activities).map(([name, run]) => [name, withHeartbeat(run)]);
  return Object.fromEntries(beating);
}

function withHeartbeat(run: Activity): Activity {
  return async (input) => {
    const timer = setInterval(heartbeat, EVERY_MS);
    try {
      return await run(input);
    } finally {
      clearInterval(timer);
    }
  };
}
