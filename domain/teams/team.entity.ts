import { defineEntity, p } from '@mikro-orm/core';
import { ROLES } from './permissions.ts';

export const Team = defineEntity({
  name: 'Team',
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    deletedAt: p.datetime(3).strictNullable(),
  },
});

export const TeamMember = defineEntity({
  name: 'TeamMember',
  properties: {
    teamId: p.uuid().primary(),
    personId: p.uuid().primary(),
    role: p.enum(ROLES),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
});

/** A role for an email address, which may have no account yet. */
export const TeamInvitation = defineEntity({
  name: 'TeamInvitation',
  properties: {
    id: p.uuid().primary(),
    teamId: p.uuid(),
    address: p.text(),
    role: p.enum(ROLES),
    invitedBy: p.uuid(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    expiresAt: p.datetime(3),
    acceptedAt: p.datetime(3).strictNullable(),
    withdrawnAt: p.datetime(3).strictNullable(),
  },
});
