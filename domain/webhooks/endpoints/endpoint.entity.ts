import { defineEntity, p } from '@mikro-orm/core';
import { Product } from '../../catalog/product.entity.ts';
import type { SubscribableName } from '../events.schema.ts';

/** Grows with endpoints, at most 10 a product; kept for good. */
export const WebhookEndpoint = defineEntity({
  name: 'WebhookEndpoint',
  properties: {
    id: p.uuid().primary(),
    productId: () => p.manyToOne(Product).mapToPk().joinColumn('product_id'),
    /** 1 to 10: the unique (product, slot) limits the number of endpoints. */
    slot: p.smallint(),
    url: p.text(),
    events: p.array().$type<SubscribableName[]>(),
    encryptedSecret: p.text(),
    previousEncryptedSecret: p.text().strictNullable(),
    previousUntil: p.datetime(3).strictNullable(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    disabledAt: p.datetime(3).strictNullable(),
    deletedAt: p.datetime(3).strictNullable(),
    /** The instant at which the deliveries of this closed endpoint were held or cancelled. */
    deliveriesClosedAt: p.datetime(3).strictNullable(),
    /** The instant at which a retry failed without a success since. */
    failingSince: p.datetime(3).strictNullable(),
    lastDeadAt: p.datetime(3).strictNullable(),
    deadNotifiedAt: p.datetime(3).strictNullable(),
  },
  indexes: [
    {
      name: 'webhook_endpoint_failing',
      properties: ['failingSince'],
      where: `deleted_at is null and disabled_at is null and failing_since is not null`,
    },
    {
      name: 'webhook_endpoint_unnotified',
      properties: ['lastDeadAt'],
      where: `deleted_at is null and last_dead_at > coalesce(dead_notified_at, '-infinity'::timestamptz)`,
    },
    {
      name: 'webhook_endpoint_unclosed',
      properties: ['id'],
      where: `greatest(disabled_at, deleted_at) > coalesce(deliveries_closed_at, '-infinity'::timestamptz)`,
    },
  ],
  uniques: [
    {
      name: 'webhook_endpoint_slot',
      properties: ['productId', 'slot'],
      where: `deleted_at is null`,
    },
  ],
  checks: [
    { name: 'webhook_endpoint_slot_check', expression: `slot >= 1 and slot <= 10` },
    { name: 'webhook_endpoint_url_check', expression: `length(url) <= 2048` },
  ],
});
