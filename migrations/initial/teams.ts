import { createdAt, sql } from './sql.ts';

const role = sql`role text not null check (role in ('owner', 'admin', 'developer', 'finance', 'viewer'))`;

export const teams = [
  sql`create table team (
    id uuid primary key,
    name text not null check (length(name) between 1 and 80),
    ${createdAt},
    deleted_at timestamptz(3)
  )`,
  sql`create table team_member (
    team_id uuid not null references team,
    person_id uuid not null references person,
    ${role},
    ${createdAt},
    primary key (team_id, person_id)
  )`,
  sql`create index team_member_person on team_member (person_id)`,
  sql`create table team_invitation (
    id uuid primary key,
    team_id uuid not null references team,
    address text not null,
    ${role},
    invited_by uuid not null references person,
    ${createdAt},
    expires_at timestamptz(3) not null,
    accepted_at timestamptz(3),
    withdrawn_at timestamptz(3)
  )`,
  sql`create unique index team_invitation_open on team_invitation (team_id, lower(address))
    where accepted_at is null and withdrawn_at is null`,
  sql`create index team_invitation_over on team_invitation (expires_at)`,
  sql`create index team_invitation_address on team_invitation (lower(address))`,
];
