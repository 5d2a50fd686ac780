import { defineEntity, p } from '@mikro-orm/core';

const RECOVERY_STATUSES = ['running', 'completed'] as const;

/** A recovery of a product's dead and held deliveries, with its filter and progress. */
export const Recovery = defineEntity({
  name: 'Recovery',
  properties: {
    id: p.uuid().primary(),
    productId: p.uuid(),
    endpointId: p.uuid().strictNullable(),
    eventName: p.text().strictNullable(),
    statuses: p.array(),
    since: p.datetime(3),
    until: p.datetime(3),
    total: p.integer(),
    done: p.integer().default(0),
    queued: p.integer().default(0),
    status: p.enum(RECOVERY_STATUSES).default('running'),
    /** The last delivery that was looked at: the next batch starts after it. */
    afterAt: p.datetime(3).strictNullable(),
    afterId: p.text().strictNullable(),
    startedBy: p.uuid(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    finishedAt: p.datetime(3).strictNullable(),
  },
});
