import { defineEntity, p } from '@mikro-orm/core';
import { Product } from '../product.entity.ts';

export const KEY_MODES = ['live', 'test'] as const;

/** Grows with keys of products; kept for good. */
export const ApiKey = defineEntity({
  name: 'ApiKey',
  properties: {
    id: p.uuid().primary(),
    productId: () => p.manyToOne(Product).mapToPk().joinColumn('product_id'),
    keyHash: p.blob().unique(),
    mode: p.enum(KEY_MODES),
    name: p.text(),
    lastFour: p.text(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    expiresAt: p.datetime(3).strictNullable(),
    revokedAt: p.datetime(3).strictNullable(),
    /** Rounded to the minute. */
    lastUsedAt: p.datetime(3).strictNullable(),
  },
  indexes: [{ name: 'api_key_product', properties: ['productId'] }],
});
