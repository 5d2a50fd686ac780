import { defineEntity, p } from '@mikro-orm/core';

/**
 * A message to a workflow, committed with the change that it reports.
 * Grows with changes that a workflow is told of; kept for 7 days after it was sent; removed by
 * `removeSentMessages`.
 */
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
  indexes: [
    { name: 'outbox_parked', properties: ['parkedAt'], where: `parked_at is not null` },
    {
      name: 'outbox_unsent',
      properties: ['workflowType', 'share', 'id'],
      where: `sent_at is null and parked_at is null`,
    },
  ],
  checks: [{ name: 'outbox_share_check', expression: `share <> ''` }],
});
