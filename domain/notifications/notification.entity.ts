import { defineEntity, p } from '@mikro-orm/core';

/** A notice for a person, or for the members of a team with one of the roles. */
export const Notification = defineEntity({
  name: 'Notification',
  properties: {
    id: p.uuid().primary(),
    kind: p.text(),
    productId: p.uuid().strictNullable(),
    teamId: p.uuid().strictNullable(),
    personId: p.uuid().strictNullable(),
    roles: p.array(),
    data: p.json<Record<string, unknown>>().defaultRaw(`'{}'`),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
});

export const NotificationRead = defineEntity({
  name: 'NotificationRead',
  properties: {
    notificationId: p.uuid().primary(),
    personId: p.uuid().primary(),
    readAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
});
