import { defineEntity, p } from '@mikro-orm/core';
import { Person } from '../identity/person.entity.ts';
import { Product } from '../catalog/product.entity.ts';
import { ACCESS_TYPES, GRANT_TYPES } from './effective-access.ts';

/**
 * One source of access; effective access is computed from all of them.
 * Grows with sources of access; kept for good.
 */
export const AccessGrant = defineEntity({
  name: 'AccessGrant',
  properties: {
    id: p.uuid().primary(),
    productId: () => p.manyToOne(Product).mapToPk().joinColumn('product_id'),
    personId: () => p.manyToOne(Person).mapToPk().joinColumn('person_id'),
    type: p.enum(GRANT_TYPES),
    source: p.text(),
    startsAt: p.datetime(3),
    endsAt: p.datetime(3).strictNullable(),
    withdrawnAt: p.datetime(3).strictNullable(),
    /** Is null for a purchase. */
    grantedBy: () => p.manyToOne(Person).mapToPk().joinColumn('granted_by').strictNullable(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
  indexes: [
    {
      name: 'access_grant_complimentary',
      properties: ['productId', 'createdAt', 'id'],
      where: `type = 'complimentary'`,
    },
    // Who was given access: their days do not count in the pool.
    {
      name: 'access_grant_complimentary_person',
      properties: ['personId'],
      where: `type = 'complimentary'`,
    },
    { name: 'access_grant_source', properties: ['source'], where: `type = 'complimentary'` },
  ],
  uniques: [
    {
      name: 'access_grant_product_id_person_id_source_unique',
      properties: ['productId', 'personId', 'source'],
    },
  ],
  checks: [{ name: 'access_grant_span', expression: `ends_at > starts_at` }],
});

/**
 * Every change of access locks this row.
 * Grows with pairs of product and person with access; kept for good.
 */
export const Entitlement = defineEntity({
  name: 'Entitlement',
  properties: {
    productId: () => p.manyToOne(Product).mapToPk().joinColumn('product_id').primary(),
    personId: () => p.manyToOne(Person).mapToPk().joinColumn('person_id').primary(),
    id: p.uuid().unique(),
    /** Member alone sets `member`: its access lapsed and no other source ever gave any. */
    type: p.enum(ACCESS_TYPES).strictNullable(),
    source: p.text().strictNullable(),
    endsAt: p.datetime(3).strictNullable(),
    recheckAt: p.datetime(3).strictNullable(),
    announcedActive: p.boolean().default(false),
    announcedEndsAt: p.datetime(3).strictNullable(),
  },
  indexes: [
    // How many people have a product now is counted in the index alone.
    {
      name: 'entitlement_announced',
      properties: ['productId', 'announcedEndsAt'],
      where: `announced_active`,
    },
    { name: 'entitlement_person', properties: ['personId'] },
    { name: 'entitlement_recheck', properties: ['recheckAt'], where: `recheck_at is not null` },
  ],
});
