import { defineEntity, p } from '@mikro-orm/core';

export const DELIVERY_STATUSES = [
  'pending',
  'retrying',
  'succeeded',
  'dead',
  'held',
  'cancelled',
] as const;

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** The states of deliveries that did not arrive, the worst first. */
export const FAILING_STATUSES = [
  'dead',
  'retrying',
  'held',
] as const satisfies readonly DeliveryStatus[];

export type FailingStatus = (typeof FAILING_STATUSES)[number];

/** How many deliveries are in each of these states. */
export type FailingCounts = Record<FailingStatus, number>;

export const ERROR_CLASSES = [
  'dns',
  'refused',
  'reset',
  'tls',
  'timeout',
  'policy',
  'http_status',
  'signing',
] as const;

export type ErrorClass = (typeof ERROR_CLASSES)[number];

/**
 * A delivery's content, written once. No foreign key leads out of a table that is kept by month or
 * into it: to drop a month would lock the other table.
 * Grows with events and their endpoints; kept for 90 to 121 days, because months are dropped by
 * `drop_partition` as a whole.
 */
export const Delivery = defineEntity({
  name: 'Delivery',
  properties: {
    /** Derived from the event and the endpoint, so that a pair has one delivery. */
    id: p.text().collation('C').primary(),
    eventId: p.uuid(),
    endpointId: p.uuid(),
    productId: p.uuid(),
    eventName: p.text(),
    /** The envelope's bytes, stored once and sent as stored on every attempt. */
    body: p.blob(),
    createdAt: p.datetime(3),
    /** Sent by hand to try a receiver: nothing happened. */
    isExample: p.boolean().default(false),
  },
  indexes: [
    // Each filter of the console's list reads one page as one walk along an index.
    { name: 'delivery_endpoint', properties: ['endpointId', 'createdAt', 'id'] },
    { name: 'delivery_event', properties: ['productId', 'eventName', 'createdAt', 'id'] },
    { name: 'delivery_product', properties: ['productId', 'createdAt', 'id'] },
  ],
});

/**
 * A delivery's progress; the row is gone once it succeeded. The view `delivery_now` joins both
 * with the last response.
 * Grows with deliveries that have not succeeded; kept until success, else 90 to 121 days; removed by
 * `endOldDeliveries`.
 */
export const DeliveryState = defineEntity({
  name: 'DeliveryState',
  properties: {
    deliveryId: p.text().collation('C').primary(),
    productId: p.uuid(),
    endpointId: p.uuid(),
    status: p.enum(DELIVERY_STATUSES.filter((status) => status !== 'succeeded')).default('pending'),
    run: p.integer().default(1),
    /** The next attempt of the group: 0 is the first, 1 to 5 are the retries. */
    step: p.integer().default(0),
    dueAt: p.datetime(3).strictNullable(),
    /** The id of the workflow that drives it together with others; null for one of its own. */
    cohort: p.text().strictNullable(),
    createdAt: p.datetime(3),
    finishedAt: p.datetime(3).strictNullable(),
  },
  indexes: [
    { name: 'delivery_state_endpoint', properties: ['status', 'endpointId', 'dueAt'] },
    // Without the delivery: while the table is small the planner would prefer this index to the
    // primary key, and keep the plan in a burst.
    { name: 'delivery_state_product', properties: ['productId', 'status', 'createdAt'] },
    {
      name: 'delivery_state_cohort',
      properties: ['cohort', 'status', 'dueAt'],
      where: `cohort is not null`,
    },
    { name: 'delivery_state_retry', properties: ['dueAt'], where: `status = 'retrying'` },
  ],
  checks: [{ name: 'delivery_state_step_check', expression: `step >= 0 and step <= 5` }],
});

/**
 * The right of one process to send a delivery, until it ends or the attempt is recorded. A claim
 * writes this table instead of the state, which has more indexes. The lock of the delivery's state
 * covers its lease.
 * Grows with deliveries that are being sent; kept for seconds; removed by the statement that
 * records the attempt.
 */
export const DeliveryLease = defineEntity({
  name: 'DeliveryLease',
  properties: {
    endpointId: p.uuid().primary(),
    deliveryId: p.text().collation('C').primary(),
    /**
     * Leases of one owner of products are counted. A product that changes hands takes only its later
     * leases along.
     */
    ownerId: p.uuid(),
    token: p.uuid(),
    until: p.datetime(3),
    isRetry: p.boolean().default(false),
  },
  indexes: [{ name: 'delivery_lease_owner', properties: ['ownerId'] }],
});

/**
 * The statement that records an attempt holds the lock of the delivery's state.
 * Grows with attempts; kept as long as the delivery; dropped by `drop_partition`
 * with its month.
 */
export const Attempt = defineEntity({
  name: 'Attempt',
  properties: {
    deliveryId: p.text().collation('C').primary(),
    run: p.integer().primary(),
    step: p.integer().primary(),
    startedAt: p.datetime(3),
    durationMs: p.integer(),
    statusCode: p.integer().strictNullable(),
    error: p.enum(ERROR_CLASSES).strictNullable(),
    ip: p.text().strictNullable(),
    bodyStart: p.text().strictNullable(),
    wasInterrupted: p.boolean().default(false),
    /** The signatures as they were sent; null where nothing was. */
    signature: p.text().strictNullable(),
    previousSignature: p.text().strictNullable(),
    /** The id of the workflow that drove it together with others. */
    cohort: p.text().strictNullable(),
  },
});
