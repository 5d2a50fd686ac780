import { defineEntity, p } from '@mikro-orm/core';
import { Person } from '../identity/person.entity.ts';
import { ROLES } from './permissions.ts';

/** Grows with teams; kept for good. */
export const Team = defineEntity({
  name: 'Team',
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    deletedAt: p.datetime(3).strictNullable(),
  },
  checks: [{ name: 'team_name_check', expression: `length(name) >= 1 and length(name) <= 80` }],
});

/** Grows with members of teams; kept until the member leaves; removed by `changeMember`. */
export const TeamMember = defineEntity({
  name: 'TeamMember',
  properties: {
    teamId: () => p.manyToOne(Team).mapToPk().joinColumn('team_id').primary(),
    personId: () => p.manyToOne(Person).mapToPk().joinColumn('person_id').primary(),
    role: p.enum(ROLES),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
  indexes: [{ name: 'team_member_person', properties: ['personId'] }],
});

/**
 * A person's time in a team that is over: a trigger of `team_member` writes it.
 * Grows with people who leave teams; kept for good.
 */
export const TeamStay = defineEntity({
  name: 'TeamStay',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    teamId: () => p.manyToOne(Team).mapToPk().joinColumn('team_id'),
    personId: () => p.manyToOne(Person).mapToPk().joinColumn('person_id'),
    startedAt: p.datetime(3),
    endedAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
  indexes: [{ name: 'team_stay_ended', properties: ['endedAt'] }],
});

/**
 * A role for an email address, which may have no account yet.
 * Grows with invitations; kept until 7 days after its end; removed by `removeOldInvitations`.
 */
export const TeamInvitation = defineEntity({
  name: 'TeamInvitation',
  properties: {
    id: p.uuid().primary(),
    teamId: () => p.manyToOne(Team).mapToPk().joinColumn('team_id'),
    address: p.text(),
    role: p.enum(ROLES),
    invitedBy: () => p.manyToOne(Person).mapToPk().joinColumn('invited_by'),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    expiresAt: p.datetime(3),
    acceptedAt: p.datetime(3).strictNullable(),
    withdrawnAt: p.datetime(3).strictNullable(),
  },
  indexes: [
    {
      name: 'team_invitation_address',
      expression: `create index team_invitation_address on team_invitation (lower(address))`,
    },
    { name: 'team_invitation_over', properties: ['expiresAt'] },
  ],
  uniques: [
    {
      name: 'team_invitation_open',
      expression: `create unique index team_invitation_open on team_invitation (team_id, lower(address)) where accepted_at is null and withdrawn_at is null`,
    },
  ],
});
