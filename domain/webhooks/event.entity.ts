import { defineEntity, p } from '@mikro-orm/core';

export const Event = defineEntity({
  name: 'Event',
  properties: {
    id: p.uuid().primary(),
    productId: p.uuid(),
    name: p.text(),
    data: p.json<Record<string, unknown>>(),
    createdAt: p.datetime(3),
  },
});
