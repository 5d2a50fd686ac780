import { defineEntity, p } from '@mikro-orm/core';

/**
 * Evidence: the days of a month as masks, of which bit 0 is the first day. A mask only gains bits.
 * There are no foreign keys: the statement that writes a row has read its product and person, and a
 * report must not wait for a lock of either. Rows are found by their person through the primary
 * key, and by their product. Evidence changes no indexed column, so an update of it writes no
 * index; `detachDeletedPeople` alone changes the person.
 * Grows with people who use a product in a month; kept for 26 months; dropped by `drop_partition` with
 * their month.
 */
export const UsageMonth = defineEntity({
  name: 'UsageMonth',
  properties: {
    /** A random id once the account is deleted. */
    personId: p.uuid().primary(),
    productId: p.uuid().primary(),
    /** The instants at which the first and the last bit were added. */
    firstAt: p.datetime(3),
    lastAt: p.datetime(3),
    month: p.date().primary(),
    /** Days with a report or profile read by the person's token. */
    sessionDays: p.integer(),
    heartbeatDays: p.integer(),
    activityDays: p.integer(),
    profileReadDays: p.integer(),
    /** Days with a report by a live API key, of any kind: analytics. */
    keyDays: p.integer(),
    qualifyingDays: p.integer(),
  },
  indexes: [{ name: 'usage_month_product', properties: ['productId'] }],
  checks: [
    { name: 'usage_month_first_to_last', expression: `last_at >= first_at` },
    {
      name: 'usage_month_qualifies',
      expression: `qualifying_days & ~(heartbeat_days | activity_days | profile_read_days) = 0`,
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
 * The live entitlement checks of a product on a day, and those of them that found access.
 * Grows with products whose access is checked in a day; kept for good.
 */
export const CheckDay = defineEntity({
  name: 'CheckDay',
  properties: {
    productId: p.uuid().primary(),
    day: p.date().primary(),
    checks: p.integer(),
    openChecks: p.integer(),
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
    openChecks: p.array<number>().columnType('integer[]'),
  },
});
