import { defineEntity, p } from '@mikro-orm/core';
import type { WorkflowName } from './workflow-targets.ts';

/**
 * A message to a workflow, committed with the change that it reports.
 * Grows with changes that a workflow is told of; kept for 7 days after it was sent; removed by
 * `removeSentMessages`.
 */
export const Outbox = defineEntity({
  name: 'Outbox',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    workflowType: p.text().$type<WorkflowName>(),
    workflowId: p.text(),
    /** What the workflow starts with. */
    input: p.json<Record<string, string>>(),
    /** 1 money, 2 access, 3 deliveries, 4 mail, 5 upkeep. */
    priority: p.integer(),
    /** The owner of the product, whose turn it is within a priority; null for the platform. */
    fairnessKey: p.text().strictNullable(),
    message: p.json<Record<string, unknown>>(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    leaseUntil: p.datetime(3).strictNullable(),
    sentAt: p.datetime(3).strictNullable(),
    refusals: p.integer().default(0),
    lastError: p.text().strictNullable(),
    deadLetteredAt: p.datetime(3).strictNullable(),
  },
  indexes: [
    {
      name: 'outbox_dead_lettered',
      properties: ['deadLetteredAt'],
      where: `dead_lettered_at is not null`,
    },
    {
      name: 'outbox_unsent',
      properties: ['priority', 'id'],
      where: `sent_at is null and dead_lettered_at is null`,
    },
  ],
  checks: [{ name: 'outbox_priority_check', expression: `priority >= 1 and priority <= 5` }],
});
