import { defineEntity, p } from '@mikro-orm/core';

/**
 * An API request of a key or an OAuth client: never its query, body, address or credential. There
 * are no foreign keys: the log must not wait for a lock of a product. Exactly one of `apiKeyId` and
 * `clientId` is set.
 * Grows with API requests, within bounds of credential, product and process; kept for 7 days;
 * dropped by `drop_partition` with their day.
 */
export const ApiRequest = defineEntity({
  name: 'ApiRequest',
  properties: {
    /** The id holds the time: the newest first is the order of ids backwards. */
    id: p.uuid().primary(),
    productId: p.uuid(),
    apiKeyId: p.uuid().strictNullable(),
    clientId: p.text().strictNullable(),
    /** Method and path as they are documented. */
    route: p.text(),
    status: p.smallint(),
    errorCode: p.text().strictNullable(),
    /** The name of the field at fault, never its value. */
    param: p.text().strictNullable(),
    /** A usage report of a member of the product's own team: it never qualifies. */
    isOwnTeam: p.boolean().default(false),
    requestId: p.text(),
    createdAt: p.datetime(3),
  },
  indexes: [
    { name: 'api_request_product', properties: ['productId', 'id'] },
    // The ids are random: a hash costs an insert less than their order would.
    { name: 'api_request_request', properties: ['requestId'], type: 'hash' },
  ],
});

/**
 * How many requests of a product were logged on its last day with requests. All processes count
 * here.
 * Grows with products that have requests: one row each, which the next day overwrites; kept for
 * good.
 */
export const RequestQuota = defineEntity({
  name: 'RequestQuota',
  properties: {
    productId: p.uuid().primary(),
    /** The days since 1970, in UTC. */
    day: p.integer(),
    successes: p.integer().default(0),
    refusals: p.integer().default(0),
  },
});
