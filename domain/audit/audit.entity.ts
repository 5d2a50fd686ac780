import { defineEntity, p } from '@mikro-orm/core';
import { Product } from '../catalog/product.entity.ts';
import { Person } from '../identity/person.entity.ts';
import { Team } from '../teams/team.entity.ts';

/**
 * Records which person did what to which subject, when and from where; append only.
 * Grows with acts of people; kept for good.
 */
export const Audit = defineEntity({
  name: 'Audit',
  properties: {
    id: p.uuid().primary(),
    at: p.datetime(3).defaultRaw('gatehouse_now()'),
    actorId: () => p.manyToOne(Person).mapToPk().joinColumn('actor_id').strictNullable(),
    action: p.text(),
    subject: p.text(),
    teamId: () => p.manyToOne(Team).mapToPk().joinColumn('team_id').strictNullable(),
    productId: () => p.manyToOne(Product).mapToPk().joinColumn('product_id').strictNullable(),
    detail: p.json<Record<string, unknown>>().defaultRaw(`'{}'`),
  },
  indexes: [
    {
      name: 'audit_action',
      columns: [{ name: 'action', collation: 'C' }, { name: 'at' }, { name: 'id' }],
    },
    { name: 'audit_actor', properties: ['actorId', 'at', 'id'] },
    { name: 'audit_at', properties: ['at', 'id'] },
    {
      name: 'audit_product',
      properties: ['productId', 'at', 'id'],
      where: `product_id is not null`,
    },
    { name: 'audit_subject', properties: ['subject', 'at', 'id'] },
    { name: 'audit_team', properties: ['teamId', 'at', 'id'], where: `team_id is not null` },
  ],
  checks: [{ name: 'audit_action_check', expression: `action ~ '^[a-z_]+\\.[a-z_]+$'` }],
});

/**
 * The caller's IP address, apart from its row, so that it can go.
 * Grows with acts of people; kept for 90 to 121 days, because months are dropped by
 * `drop_partition` as a whole.
 */
export const AuditAddress = defineEntity({
  name: 'AuditAddress',
  properties: {
    auditId: p.uuid().primary(),
    ip: p.text(),
  },
});
