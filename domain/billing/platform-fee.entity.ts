import { defineEntity, p } from '@mikro-orm/core';

/** The platform's cut: the newest row holds, earlier ones are its history. */
export const PlatformFee = defineEntity({
  name: 'PlatformFee',
  properties: {
    id: p.bigint('number').primary(),
    basisPoints: p.integer(),
    since: p.datetime(3).defaultRaw('gatehouse_now()'),
    /** Nobody for the one that the platform began with. */
    setBy: p.uuid().strictNullable(),
  },
});
