import { defineEntity, p } from '@mikro-orm/core';

/** A message to a workflow, committed with the change that it reports. */
export const Outbox = defineEntity({
  name: 'Outbox',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    workflowType: p.text(),
    workflowId: p.text(),
    /** The messages of a queue take turns by share. */
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
