import { defineEntity, p } from '@mikro-orm/core';
import { Product } from '../catalog/product.entity.ts';

/** Grows with events of products; kept for 90 days; removed by `removeOldEvents`. */
export const Event = defineEntity({
  name: 'Event',
  properties: {
    id: p.uuid().primary(),
    productId: () => p.manyToOne(Product).mapToPk().joinColumn('product_id'),
    name: p.text(),
    data: p.json<Record<string, unknown>>(),
    createdAt: p.datetime(3),
  },
  indexes: [{ name: 'event_product', properties: ['productId', 'createdAt', 'id'] }],
});
