import { Migration } from '@mikro-orm/migrations';

const sql = String.raw;

export class Teams extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const created = 'created_at timestamptz(3) not null default gatehouse_now()';
const role = `role text not null check (role in ('owner', 'admin', 'developer', 'finance', 'viewer'))`;

const statements = [
  sql`create table team (
    id uuid primary key,
    name text not null check (length(name) between 1 and 80),
    ${created},
    deleted_at timestamptz(3)
  )`,
  sql`create table team_member (
    team_id uuid not null references team,
    person_id uuid not null references person,
    ${role},
    ${created},
    primary key (team_id, person_id)
  )`,
  sql`create index team_member_person on team_member (person_id)`,
  sql`create table team_invitation (
    id uuid primary key,
    team_id uuid not null references team,
    address text not null,
    ${role},
    invited_by uuid not null references person,
    ${created},
    expires_at timestamptz(3) not null,
    accepted_at timestamptz(3),
    withdrawn_at timestamptz(3)
  )`,
  sql`create unique index team_invitation_open on team_invitation (team_id, lower(address))
    where accepted_at is null and withdrawn_at is null`,
  // A product, and the account that its money goes to, is one person's or one team's.
  sql`alter table product
    add owner_team_id uuid references team,
    alter owner_person_id drop not null,
    add constraint product_one_owner check (num_nonnulls(owner_person_id, owner_team_id) = 1)`,
  sql`create index product_owner_team on product (owner_team_id)`,
  sql`alter table payout_account
    drop constraint payout_account_pkey,
    add id uuid primary key default gen_random_uuid(),
    alter person_id drop not null,
    add team_id uuid unique references team,
    add constraint payout_account_person_id_key unique (person_id),
    add constraint payout_account_one_owner check (num_nonnulls(person_id, team_id) = 1)`,
  sql`create table audit (
    id uuid primary key,
    at timestamptz(3) not null default gatehouse_now(),
    actor_id uuid references person,
    action text not null check (action ~ '^[a-z_]+\.[a-z_]+$'),
    subject text not null,
    team_id uuid references team,
    product_id uuid references product,
    detail jsonb not null default '{}',
    ip text
  )`,
  sql`create index audit_at on audit (at, id)`,
  sql`create index audit_team on audit (team_id, at, id) where team_id is not null`,
  sql`create index audit_product on audit (product_id, at, id) where product_id is not null`,
  sql`create index audit_actor on audit (actor_id, at, id)`,
  sql`create index audit_ip on audit (at) where ip is not null`,
  // Append only for everybody, its owner included; an address may be forgotten, nothing else.
  sql`create function keep_audit() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' and new.ip is null and to_jsonb(new) - 'ip' = to_jsonb(old) - 'ip' then
        return new;
      end if;
      raise exception 'audit rows are never changed or removed' using errcode = 'restrict_violation';
    end $$`,
  sql`create trigger audit_is_kept before update or delete on audit
    for each row execute function keep_audit()`,
  sql`create trigger audit_is_not_emptied before truncate on audit
    for each statement execute function keep_audit()`,
];
