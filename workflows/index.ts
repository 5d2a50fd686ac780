import { ledgerCheck } from './billing/ledger-check.ts';
import { purchaseClearing } from './billing/purchase-clearing.ts';
import { reconcile } from './billing/reconcile.ts';
import { subscriptionLifecycle } from './billing/subscription-lifecycle.ts';
import { entitlementLifecycle } from './entitlements/entitlement-lifecycle.ts';
import { membershipLifecycle } from './entitlements/membership-lifecycle.ts';
import { listingImport } from './listing-import.ts';
import { poolMonths } from './pool/pool-months.ts';
import { poolPeriod } from './pool/pool-period.ts';
import { poolPayout } from './pool/pool-payout.ts';
import { referenceCheck } from './reference-check.ts';
import { salesDigest } from './sales-digest.ts';
import { sealReview } from './seal-review.ts';
import { sendMail } from './send-mail.ts';
import { sweep } from './sweep.ts';
import { upkeep } from './upkeep.ts';
import { pin } from './versioning.ts';
import { deliveryCohort } from './webhooks/delivery-cohort.ts';
import { recoverDeliveries } from './webhooks/recover-deliveries.ts';
import { webhookDelivery } from './webhooks/webhook-delivery.ts';

pin(webhookDelivery, deliveryCohort, recoverDeliveries, sendMail, listingImport);
pin(ledgerCheck, poolMonths, reconcile, referenceCheck, salesDigest, sealReview, sweep, upkeep);

export {
  deliveryCohort,
  entitlementLifecycle,
  ledgerCheck,
  listingImport,
  membershipLifecycle,
  poolMonths,
  poolPeriod,
  poolPayout,
  purchaseClearing,
  reconcile,
  recoverDeliveries,
  referenceCheck,
  salesDigest,
  sealReview,
  sendMail,
  subscriptionLifecycle,
  sweep,
  upkeep,
  webhookDelivery,
};
