import { defineEntity, p } from '@mikro-orm/core';

/** The platform's cut: the newest row counts, earlier rows are its history. */
export const PlatformFee = defineEntity({
  name: 'PlatformFee',
  properties: {
    id: p.bigint('number').primary(),
    basisPoints: p.integer(),
    since: p.datetime(3).defaultRaw('gatehouse_now()'),
    /** Null for the initial cut. */
    setBy: p.uuid().strictNullable(),
  },
});
