import { defineEntity, p } from '@mikro-orm/core';
import { Product } from '../../catalog/product.entity.ts';
import { WebhookEndpoint } from '../endpoints/endpoint.entity.ts';
import { Person } from '../../identity/person.entity.ts';
import type { Recoverable } from './recovery.ts';

const RECOVERY_STATUSES = ['running', 'completed'] as const;

/**
 * A recovery of a product's dead and held deliveries, with its filter and progress.
 * Grows with bulk retries; kept for good.
 */
export const Recovery = defineEntity({
  name: 'Recovery',
  properties: {
    id: p.uuid().primary(),
    productId: () => p.manyToOne(Product).mapToPk().joinColumn('product_id'),
    endpointId: () =>
      p.manyToOne(WebhookEndpoint).mapToPk().joinColumn('endpoint_id').strictNullable(),
    eventName: p.text().strictNullable(),
    statuses: p.array().$type<Recoverable[]>(),
    since: p.datetime(3),
    until: p.datetime(3),
    total: p.integer(),
    done: p.integer().default(0),
    queued: p.integer().default(0),
    status: p.enum(RECOVERY_STATUSES).default('running'),
    /** The last delivery that was looked at: the next batch starts after it. */
    afterAt: p.datetime(3).strictNullable(),
    afterId: p.text().collation('C').strictNullable(),
    startedBy: () => p.manyToOne(Person).mapToPk().joinColumn('started_by'),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    finishedAt: p.datetime(3).strictNullable(),
  },
  indexes: [{ name: 'recovery_product', properties: ['productId', 'createdAt', 'id'] }],
  uniques: [{ name: 'recovery_running', properties: ['productId'], where: `status = 'running'` }],
  checks: [
    {
      name: 'recovery_statuses_check',
      expression: `cardinality(statuses) > 0 and statuses <@ array['dead', 'held']`,
    },
    { name: 'recovery_span', expression: `until > since` },
    { name: 'recovery_total_check', expression: `total >= 0 and total <= 10000` },
    { name: 'recovery_done', expression: `done >= 0 and done <= total` },
    { name: 'recovery_queued', expression: `queued >= 0 and queued <= done` },
  ],
});
