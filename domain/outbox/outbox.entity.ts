import { defineEntity, p } from '@mikro-orm/core';

/** A message to a workflow, committed with the change it tells of. */
export const Outbox = defineEntity({
  name: 'Outbox',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    workflowType: p.text(),
    workflowId: p.text(),
    /** Shares of a lane take turns. */
    share: p.text().default('all'),
    message: p.json<Record<string, unknown>>(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    leaseUntil: p.datetime(3).strictNullable(),
    sentAt: p.datetime(3).strictNullable(),
    refusals: p.integer().default(0),
    lastError: p.text().strictNullable(),
    parkedAt: p.datetime(3).strictNullable(),
  },
});
