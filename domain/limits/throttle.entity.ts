import { defineEntity, p } from '@mikro-orm/core';

/** A row of RateLimiterPostgres: the points used of a key, until `expire` (Unix milliseconds). */
export const Throttle = defineEntity({
  name: 'Throttle',
  properties: {
    key: p.text().primary(),
    points: p.integer(),
    expire: p.bigint(),
  },
});
