import { defineEntity, p } from '@mikro-orm/core';

/**
 * The people of a product's day, by why it counted and by the evidence seen.
 * Grows with products that are used in a day; kept for 26 months; removed by `removeOldSums`.
 */
export const UsageDaySum = defineEntity({
  name: 'UsageDaySum',
  properties: {
    productId: p.uuid().primary(),
    day: p.date().primary(),
    people: p.integer(),
    qualified: p.integer(),
    /** People who qualified and were Members. */
    members: p.integer(),
    ownTeam: p.integer(),
    sessionOnly: p.integer(),
    noPersonToken: p.integer(),
    sessions: p.integer(),
    heartbeats: p.integer(),
    activities: p.integer(),
    profileReads: p.integer(),
    byKey: p.integer(),
  },
  indexes: [{ name: 'usage_day_sum_day', properties: ['day'] }],
});

/**
 * A product's month through a day: all that is left of it once its evidence is dropped.
 * Grows with products that are used in a month; kept for good.
 */
export const UsageMonthSum = defineEntity({
  name: 'UsageMonthSum',
  properties: {
    productId: p.uuid().primary(),
    month: p.date().primary(),
    through: p.date(),
    /** People with a qualified day. */
    people: p.integer(),
    /** The people among them with qualified days in two ISO weeks of the month. */
    returning: p.integer(),
    /** The people among them who were Members on such a day. */
    members: p.integer(),
    qualifiedDays: p.bigint('number'),
    memberDays: p.bigint('number'),
  },
});

/**
 * A day that is summed, or is being summed product by product.
 * Grows with days; kept for good.
 */
export const UsageClosedDay = defineEntity({
  name: 'UsageClosedDay',
  properties: {
    day: p.date().primary(),
    /** The last product, in the order of ids, that is summed. */
    throughProduct: p.uuid().strictNullable(),
    finishedAt: p.datetime(3).strictNullable(),
  },
});
