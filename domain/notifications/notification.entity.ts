import { defineEntity, p } from '@mikro-orm/core';
import { Person } from '../identity/person.entity.ts';
import { Product } from '../catalog/product.entity.ts';
import { Team } from '../teams/team.entity.ts';
import type { NotificationKind } from './notification-kind.ts';
import type { Role } from '../teams/permissions.ts';

/**
 * A notice for a person, or for the members of a team with one of the roles.
 * Grows with notices; kept for 400 days; removed by `removeOldNotifications`.
 */
export const Notification = defineEntity({
  name: 'Notification',
  properties: {
    id: p.uuid().primary(),
    kind: p.text().$type<NotificationKind>(),
    productId: () => p.manyToOne(Product).mapToPk().joinColumn('product_id').strictNullable(),
    teamId: () => p.manyToOne(Team).mapToPk().joinColumn('team_id').strictNullable(),
    personId: () => p.manyToOne(Person).mapToPk().joinColumn('person_id').strictNullable(),
    roles: p.array().$type<readonly Role[]>().defaultRaw(`'{}'`),
    data: p.json<Record<string, string | number | null>>().defaultRaw(`'{}'`),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
  indexes: [
    { name: 'notification_old', properties: ['createdAt'] },
    {
      name: 'notification_person',
      properties: ['personId', 'createdAt', 'id'],
      where: `person_id is not null`,
    },
    {
      name: 'notification_team',
      properties: ['teamId', 'createdAt', 'id'],
      where: `team_id is not null`,
    },
  ],
  checks: [
    { name: 'notification_kind_check', expression: `kind ~ '^[a-z]+(_[a-z]+)*$'` },
    {
      name: 'notification_one_audience',
      expression: `num_nonnulls(team_id, person_id) = 1 and (team_id is not null) = (cardinality(roles) > 0)`,
    },
  ],
});

/**
 * Grows with notices that a person has read; kept as long as the notification; removed by its
 * foreign key.
 */
export const NotificationRead = defineEntity({
  name: 'NotificationRead',
  properties: {
    notificationId: () =>
      p
        .manyToOne(Notification)
        .mapToPk()
        .joinColumn('notification_id')
        .deleteRule('cascade')
        .primary(),
    personId: () => p.manyToOne(Person).mapToPk().joinColumn('person_id').primary(),
    readAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
});
