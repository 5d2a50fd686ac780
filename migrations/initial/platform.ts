import { createdAt, sql } from './sql.ts';

const audit = [
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
  sql`create index audit_action on audit (action collate "C", at, id)`,
  sql`create index audit_subject on audit (subject, at, id)`,
  // The table is append only for every role, its owner included; only an address may be erased.
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

const alert = [
  sql`create table alert (
    id uuid primary key,
    kind text not null check (kind ~ '^[a-z]+(_[a-z]+)*$'),
    subject text not null,
    detail jsonb not null default '{}',
    times integer not null default 1 check (times > 0),
    raised_at timestamptz(3) not null default gatehouse_now(),
    last_raised_at timestamptz(3) not null default gatehouse_now(),
    mailed_at timestamptz(3),
    resolved_at timestamptz(3),
    resolved_by uuid references person,
    check (resolved_by is null or resolved_at is not null)
  )`,
  sql`create unique index alert_open on alert (kind, subject) where resolved_at is null`,
  sql`create index alert_mailed on alert (mailed_at) where mailed_at is not null`,
];

const notification = [
  // The audience is one person, or the members of a team that have one of the roles.
  sql`create table notification (
    id uuid primary key,
    kind text not null check (kind ~ '^[a-z]+(_[a-z]+)*$'),
    product_id uuid references product,
    team_id uuid references team,
    person_id uuid references person,
    roles text[] not null default '{}',
    data jsonb not null default '{}',
    ${createdAt},
    constraint notification_one_audience check (
      num_nonnulls(team_id, person_id) = 1 and (team_id is not null) = (cardinality(roles) > 0)
    )
  )`,
  sql`create index notification_team on notification (team_id, created_at, id) where team_id is not null`,
  sql`create index notification_person on notification (person_id, created_at, id)
    where person_id is not null`,
  sql`create index notification_old on notification (created_at)`,
  sql`create table notification_read (
    notification_id uuid not null references notification on delete cascade,
    person_id uuid not null references person,
    read_at timestamptz(3) not null default gatehouse_now(),
    primary key (notification_id, person_id)
  )`,
];

const mail = [
  // The token of a mail's link is derived from the id when the mail is sent, and stored nowhere. A mail to no
  // address is never sent: a request for an address without an account writes the same rows as for any other.
  sql`create table mail_token (
    id uuid primary key,
    -- MailPurpose is the closed list of purposes.
    purpose text not null check (purpose ~ '^[a-z]+(_[a-z]+)*$'),
    person_id uuid references person,
    invitation_id uuid references team_invitation on delete cascade,
    purchase_id text references purchase,
    payment_id text references payment,
    address text not null,
    device text,
    ${createdAt},
    -- Null once the mail was sent or given up, and for a link that is handed over.
    queued_at timestamptz(3),
    sent_at timestamptz(3),
    expires_at timestamptz(3) not null,
    used_at timestamptz(3),
    constraint mail_token_one_recipient check (
      num_nonnulls(person_id, invitation_id) = 1 or (address = '' and sent_at is null)
    ),
    constraint mail_token_invitation check (
      (purpose = 'team_invitation') = (invitation_id is not null)
    ),
    constraint mail_token_receipt check (
      (purpose = 'purchase_receipt') = (purchase_id is not null)
    ),
    constraint mail_token_charge_receipt check (
      (purpose = 'charge_receipt') = (payment_id is not null)
    )
  )`,
  sql`create index mail_token_person on mail_token (person_id)`,
  sql`create index mail_token_expiry on mail_token (expires_at)`,
  sql`create index mail_token_invitation on mail_token (invitation_id)
    where invitation_id is not null`,
  sql`create unique index mail_token_purchase on mail_token (purchase_id)
    where purchase_id is not null`,
  sql`create unique index mail_token_payment on mail_token (payment_id)
    where payment_id is not null`,
  sql`create index mail_token_queued on mail_token (queued_at) where queued_at is not null`,
];

const outbox = [
  sql`create table outbox (
    id bigint generated always as identity primary key,
    workflow_type text not null,
    workflow_id text not null,
    -- The shares of a lane take turns; a delivery's share is its endpoint.
    share text collate "C" not null default 'all' check (share <> ''),
    message jsonb not null,
    ${createdAt},
    lease_until timestamptz(3),
    sent_at timestamptz(3),
    refusals integer not null default 0,
    last_error text,
    parked_at timestamptz(3)
  )`,
  sql`create index outbox_unsent on outbox (workflow_type, share, id)
    where sent_at is null and parked_at is null`,
  sql`create index outbox_parked on outbox (parked_at) where parked_at is not null`,
];

const limits = [
  // A crash of the database empties the table: the limits forget one minute.
  sql`create unlogged table rate_window (
    bucket text not null,
    minute bigint not null,
    n integer not null,
    primary key (bucket, minute)
  ) with (fillfactor = 50)`,
  sql`create index rate_window_minute on rate_window (minute)`,
  sql`create table throttle (
    key text primary key,
    points integer not null,
    expire bigint not null
  )`,
  sql`create index throttle_expire on throttle (expire)`,
];

export const platform = [...audit, ...alert, ...notification, ...mail, ...outbox, ...limits];
