// All measurements, in the order of the table.
import type { Measurement } from '../figure.ts';
import { checksBesidePoolMonth } from './checks-beside-pool-month.ts';
import { claimDuration } from './claim-duration.ts';
import { deliveriesPerSecond } from './deliveries-per-second.ts';
import { deliveryLatency } from './delivery-latency.ts';
import { droppedMonth } from './dropped-month.ts';
import { evidenceSize } from './evidence-size.ts';
import { failingEndpoint } from './failing-endpoint.ts';
import { growingDeliveries } from './growing-deliveries.ts';
import { growingEntitlements } from './growing-entitlements.ts';
import { hangingEndpoint } from './hanging-endpoint.ts';
import { heapGrowthOfApi, heapGrowthOfWorker } from './heap-growth.ts';
import { idleMemoryOfApi, idleMemoryOfWorker } from './idle-memory.ts';
import { lateRetries } from './late-retries.ts';
import { limiterCalls } from './limiter-calls.ts';
import { poolMonth, poolMonthOfManyDays } from './pool-month.ts';
import { poolSnapshot } from './pool-snapshot.ts';
import { productOverview } from './product-overview.ts';
import { purchasesBesideFailures } from './purchases-beside-failures.ts';
import { purchases } from './purchases.ts';
import { renewals } from './renewals.ts';
import { requests } from './requests.ts';
import { retriesPerSecond } from './retries-per-second.ts';
import { revokedCredentials } from './revoked-credentials.ts';
import { sealReview } from './seal-review.ts';
import { slowEndpoints } from './slow-endpoints.ts';
import { usagePage } from './usage-page.ts';

export const MEASUREMENTS: readonly Measurement[] = [
  ...requests,
  limiterCalls,
  revokedCredentials,
  deliveriesPerSecond,
  hangingEndpoint,
  deliveryLatency,
  retriesPerSecond,
  growingEntitlements,
  growingDeliveries,
  idleMemoryOfApi,
  idleMemoryOfWorker,
  slowEndpoints,
  purchases,
  claimDuration,
  purchasesBesideFailures,
  droppedMonth,
  failingEndpoint,
  lateRetries,
  evidenceSize,
  heapGrowthOfApi,
  heapGrowthOfWorker,
  usagePage,
  productOverview,
  renewals,
  poolMonth,
  checksBesidePoolMonth,
  poolMonthOfManyDays,
  poolSnapshot,
  sealReview,
];
