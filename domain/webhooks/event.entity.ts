import { defineEntity, p } from '@mikro-orm/core';

/**
 * Grows with events of products; kept for 90 to 121 days, because months are dropped by `drop_partition`
 * as a whole.
 */
export const Event = defineEntity({
  name: 'Event',
  properties: {
    id: p.uuid().primary(),
    productId: p.uuid(),
    name: p.text(),
    data: p.json<Record<string, unknown>>(),
    createdAt: p.datetime(3),
  },
  indexes: [{ name: 'event_product', properties: ['productId', 'createdAt', 'id'] }],
});
