import { defineEntity, p } from '@mikro-orm/core';
import { ACCESS_TYPES, GRANT_TYPES } from './effective-access.ts';

/** One source of access; effective access is computed from all of them. */
export const AccessGrant = defineEntity({
  name: 'AccessGrant',
  properties: {
    id: p.uuid().primary(),
    productId: p.uuid(),
    personId: p.uuid(),
    type: p.enum(GRANT_TYPES),
    source: p.text(),
    startsAt: p.datetime(3),
    endsAt: p.datetime(3).strictNullable(),
    withdrawnAt: p.datetime(3).strictNullable(),
    grantedBy: p.uuid().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
});

/** Every change of access locks this row. */
export const Entitlement = defineEntity({
  name: 'Entitlement',
  properties: {
    productId: p.uuid().primary(),
    personId: p.uuid().primary(),
    id: p.uuid(),
    type: p.enum(ACCESS_TYPES).strictNullable(),
    source: p.text().strictNullable(),
    endsAt: p.datetime(3).strictNullable(),
    recheckAt: p.datetime(3).strictNullable(),
    announcedActive: p.boolean().default(false),
    announcedEndsAt: p.datetime(3).strictNullable(),
  },
});
