import { defineEntity, p } from '@mikro-orm/core';

export const DELIVERY_STATUSES = [
  'pending',
  'retrying',
  'succeeded',
  'dead',
  'held',
  'cancelled',
] as const;

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

/** A delivery's content, written once. */
export const Delivery = defineEntity({
  name: 'Delivery',
  properties: {
    id: p.text().primary(),
    eventId: p.uuid(),
    endpointId: p.uuid(),
    productId: p.uuid(),
    eventName: p.text(),
    /** The envelope's bytes, stored once and sent as stored on every attempt. */
    body: p.blob(),
    createdAt: p.datetime(3),
  },
});

/**
 * A delivery's progress; the row is gone once it succeeded. The view `delivery_now` joins both with
 * the last response.
 */
export const DeliveryState = defineEntity({
  name: 'DeliveryState',
  properties: {
    deliveryId: p.text().primary(),
    productId: p.uuid(),
    endpointId: p.uuid(),
    status: p.enum(DELIVERY_STATUSES.filter((status) => status !== 'succeeded')).default('pending'),
    run: p.integer().default(1),
    /** The next attempt of the group: 0 is the first, 1 to 5 are the retries. */
    step: p.integer().default(0),
    dueAt: p.datetime(3).strictNullable(),
    createdAt: p.datetime(3),
    finishedAt: p.datetime(3).strictNullable(),
  },
});

export const Attempt = defineEntity({
  name: 'Attempt',
  properties: {
    deliveryId: p.text().primary(),
    run: p.integer().primary(),
    step: p.integer().primary(),
    startedAt: p.datetime(3),
    durationMs: p.integer(),
    statusCode: p.integer().strictNullable(),
    error: p.enum(ERROR_CLASSES).strictNullable(),
    ip: p.text().strictNullable(),
    bodyStart: p.text().strictNullable(),
    wasInterrupted: p.boolean().default(false),
  },
});
