// Requests of one kind against those of a bare server, or of what others run.
import type { Measurement } from '../figure.ts';
import {
  byCpu,
  byP50,
  byP99,
  byReference,
  byRequests,
  contest,
  type Contest,
} from '../measure/contest.ts';
import {
  badge,
  barePage,
  bareRead,
  bareWrite,
  entitlementCheck,
  entitlementCheckWithoutLog,
  keyVerification,
  productPage,
  profileRead,
  storeHome,
  storePage,
  tokenExchange,
  usageReport,
  userinfo,
} from '../measure/contestants.ts';

/** The entitlement check against a bare server. */
const checks = { measured: entitlementCheck, reference: bareRead };
const logged = {
  measured: entitlementCheck,
  reference: entitlementCheckWithoutLog,
  isByNameOnly: true,
};

const ofStore = { reference: bareRead, isByNameOnly: true };

const CONTESTS: readonly Contest[] = [
  { ...checks, figures: { R1: byReference, P1: byRequests, P2: byCpu, P3: byP99 } },
  { ...checks, connections: 1, figures: { P4: byP50 } },
  { ...checks, connections: 4, figures: { P5: byRequests } },
  { ...checks, connections: 64, processes: 2, figures: { P6: byRequests } },
  { measured: profileRead, reference: bareRead, figures: { P7: byRequests } },
  { measured: profileRead, reference: userinfo, figures: { P8: byRequests } },
  { measured: entitlementCheck, reference: keyVerification, figures: { P9: byRequests } },
  { measured: usageReport, reference: bareWrite, figures: { W1: byReference, P12: byRequests } },
  { measured: tokenExchange, reference: bareWrite, figures: { P13: byRequests } },
  { ...logged, figures: { Q1: byRequests } },
  { ...logged, connections: 1, figures: { Q4: byP50 } },
  { measured: productPage, reference: barePage, figures: { S1: byRequests } },
  { measured: badge, reference: barePage, figures: { S2: byRequests } },
  { ...ofStore, measured: storePage, figures: { T2: byRequests } },
  { ...ofStore, measured: storeHome, figures: { T3: byRequests } },
];

export const requests: readonly Measurement[] = CONTESTS.map(contest);
