// All measurements, in the order of the table.
import type { Measurement } from '../figure.ts';
import { claimDuration } from './claim-duration.ts';
import { deliveriesPerSecond } from './deliveries-per-second.ts';
import { deliveryLatency, hangingEndpoint, slowEndpoints } from './delivery-latency.ts';
import { droppedMonth } from './dropped-month.ts';
import { evidenceSize } from './evidence-size.ts';
import { growingDeliveries, growingEntitlements } from './growing.ts';
import { heapGrowth } from './heap-growth.ts';
import { idleMemory } from './idle-memory.ts';
import { importedPage } from './imported-page.ts';
import { lateRetries } from './late-retries.ts';
import { limiterCalls } from './limiter-calls.ts';
import { checksBesidePoolMonth, poolMonth, poolMonthOfManyDays } from './pool-month.ts';
import { poolSnapshot } from './pool-snapshot.ts';
import { productOverview } from './product-overview.ts';
import { failingEndpoint, purchases, purchasesBesideFailures } from './purchases.ts';
import { renewals } from './renewals.ts';
import { requests } from './requests.ts';
import { retriesPerSecond } from './retries-per-second.ts';
import { revokedCredentials } from './revoked-credentials.ts';
import { sealReview } from './seal-review.ts';
import { sitemap } from './sitemap.ts';
import { storeSearch } from './store-search.ts';
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
  ...idleMemory,
  slowEndpoints,
  purchases,
  claimDuration,
  purchasesBesideFailures,
  droppedMonth,
  failingEndpoint,
  lateRetries,
  evidenceSize,
  ...heapGrowth,
  usagePage,
  productOverview,
  renewals,
  poolMonth,
  checksBesidePoolMonth,
  poolMonthOfManyDays,
  poolSnapshot,
  sealReview,
  storeSearch,
  sitemap,
  importedPage,
];
