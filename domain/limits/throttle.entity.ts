import { defineEntity, p } from '@mikro-orm/core';

/**
 * A row of RateLimiterPostgres: the points used of a key, until `expire` (Unix milliseconds).
 * Grows with people and IP addresses that fail to sign in; kept until its limit ends; removed by
 * `removeEndedThrottles`.
 */
export const Throttle = defineEntity({
  name: 'Throttle',
  properties: {
    key: p.text().primary(),
    points: p.integer(),
    expire: p.bigint(),
  },
  indexes: [{ name: 'throttle_expire', properties: ['expire'] }],
});

/**
 * The requests of a credential in a minute of the database's clock.
 * Grows with callers in a minute; kept for two minutes; removed by `removeOldWindows`.
 */
export const RateWindow = defineEntity({
  name: 'RateWindow',
  properties: {
    bucket: p.text().primary(),
    minute: p.bigint('number').primary(),
    n: p.integer(),
  },
  indexes: [{ name: 'rate_window_minute', properties: ['minute'] }],
});
