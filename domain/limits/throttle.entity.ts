import { defineEntity, p } from '@mikro-orm/core';

/**
 * A row of RateLimiterPostgres: the points used of a key, until `expire` (Unix milliseconds).
 * Grows with people and IP addresses that sign in, register, get mails or invitations, upload pictures
 * or send test events; kept until its limit ends; removed by `removeEndedThrottles`.
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
