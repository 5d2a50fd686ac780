import { defineEntity, p } from '@mikro-orm/core';

export const KEY_MODES = ['live', 'test'] as const;

export const ApiKey = defineEntity({
  name: 'ApiKey',
  properties: {
    id: p.uuid().primary(),
    productId: p.uuid(),
    keyHash: p.blob(),
    mode: p.enum(KEY_MODES),
    name: p.text(),
    lastFour: p.text(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    expiresAt: p.datetime(3).strictNullable(),
    revokedAt: p.datetime(3).strictNullable(),
    /** Rounded to the minute. */
    lastUsedAt: p.datetime(3).strictNullable(),
  },
});
