import { defineEntity, p } from '@mikro-orm/core';
import { EVIDENCE_KINDS } from './decide-usage.ts';

/**
 * Evidence: one row a day, which only rises to qualifying. There are no foreign keys: the
 * statement that writes a row has read its product and person, neither is ever removed, and a
 * report must not wait for a lock of either. The primary key has the day before the person, so
 * that it finds the days of a product too.
 * Grows with people who use a product in a day; kept for good.
 */
export const UsageDay = defineEntity({
  name: 'UsageDay',
  properties: {
    productId: p.uuid().primary(),
    day: p.date().primary(),
    personId: p.uuid().primary(),
    firstKind: p.enum(EVIDENCE_KINDS),
    isQualifying: p.boolean(),
    sessions: p.integer().default(0),
    heartbeats: p.integer().default(0),
    activities: p.integer().default(0),
    profileReads: p.integer().default(0),
    firstAt: p.datetime(3),
    lastAt: p.datetime(3),
  },
  checks: [
    { name: 'usage_day_first_to_last', expression: `last_at >= first_at` },
    {
      name: 'usage_day_qualifies',
      expression: `not is_qualifying or heartbeats + activities + profile_reads > 0`,
    },
  ],
});

/**
 * Analytics: live entitlement checks of a day.
 * Grows with people whose access is checked in a day; kept for good.
 */
export const CheckCount = defineEntity({
  name: 'CheckCount',
  properties: {
    productId: p.uuid().primary(),
    day: p.date().primary(),
    personId: p.uuid().primary(),
    checks: p.integer().default(0),
  },
});

/**
 * The checks of a moment in one process; a background job adds them to the counts.
 * Grows with moments with entitlement checks; kept for seconds; removed by `addUpChecks`.
 */
export const CheckBatch = defineEntity({
  name: 'CheckBatch',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    day: p.date(),
    productIds: p.array().columnType('uuid[]'),
    personIds: p.array().columnType('uuid[]'),
    areKnown: p.array<boolean>().columnType('boolean[]'),
    checks: p.array<number>().columnType('integer[]'),
  },
});
