import { defineEntity, p } from '@mikro-orm/core';
import { EVIDENCE_KINDS } from './decide-usage.ts';

/** Evidence: one row a day, which only rises to qualifying. */
export const UsageDay = defineEntity({
  name: 'UsageDay',
  properties: {
    productId: p.uuid().primary(),
    day: p.date().primary(),
    personId: p.uuid().primary(),
    firstKind: p.enum(EVIDENCE_KINDS),
    isQualifying: p.boolean(),
    sessions: p.integer(),
    heartbeats: p.integer(),
    activities: p.integer(),
    profileReads: p.integer(),
    firstAt: p.datetime(3),
    lastAt: p.datetime(3),
  },
});

/** Analytics: live entitlement checks of a day. */
export const CheckCount = defineEntity({
  name: 'CheckCount',
  properties: {
    productId: p.uuid().primary(),
    day: p.date().primary(),
    personId: p.uuid().primary(),
    checks: p.integer(),
  },
});
