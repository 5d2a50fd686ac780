import { createdAt, sql } from './sql.ts';

const access = [
  sql`create table access_grant (
    id uuid primary key,
    product_id uuid not null references product,
    person_id uuid not null references person,
    type text not null check (type in ('purchase', 'subscription', 'complimentary')),
    source text not null,
    starts_at timestamptz(3) not null,
    ends_at timestamptz(3) check (ends_at > starts_at),
    withdrawn_at timestamptz(3),
    -- Null for a purchase.
    granted_by uuid references person,
    ${createdAt},
    unique (product_id, person_id, source)
  )`,
  sql`create index access_grant_complimentary on access_grant (product_id, created_at desc, id desc)
    where type = 'complimentary'`,
  sql`create table entitlement (
    product_id uuid not null references product,
    person_id uuid not null references person,
    id uuid not null unique,
    -- Member alone sets 'member', when its access lapses and no other source ever gave any.
    type text check (type in ('purchase', 'subscription', 'complimentary', 'member')),
    source text,
    ends_at timestamptz(3),
    recheck_at timestamptz(3),
    announced_active boolean not null default false,
    announced_ends_at timestamptz(3),
    primary key (product_id, person_id)
  )`,
  sql`create index entitlement_person on entitlement (person_id)`,
  sql`create index entitlement_recheck on entitlement (recheck_at) where recheck_at is not null`,
];

const membership = [
  // A price is a version and never edited: a member keeps the terms of the first payment.
  sql`create table member_price (
    id uuid primary key,
    currency char(3) not null,
    billing_interval text not null check (billing_interval in ('month', 'year')),
    amount_minor bigint not null check (amount_minor > 0),
    set_by uuid references person,
    ${createdAt},
    retired_at timestamptz(3)
  )`,
  sql`create unique index member_price_active on member_price (currency, billing_interval)
    where retired_at is null`,
  sql`create table membership (
    id uuid primary key,
    person_id uuid not null references person,
    status text not null check (status in ('incomplete', 'active', 'past_due', 'canceling', 'ended')),
    ends_at timestamptz(3),
    -- While the money of the period is back at the buyer, the membership gives no access.
    withdrawn_at timestamptz(3),
    price_id uuid references member_price,
    amount_minor bigint check (amount_minor > 0),
    currency char(3),
    billing_interval text check (billing_interval in ('month', 'year')),
    session_id text,
    session_url text,
    session_expires_at timestamptz(3) not null default gatehouse_now() + interval '24 hours',
    processor_id text unique,
    period_start timestamptz(3),
    period_end timestamptz(3),
    past_due_at timestamptz(3),
    grace_ends_at timestamptz(3),
    cancel_at timestamptz(3),
    ended_at timestamptz(3),
    requested_change text check (requested_change in ('cancel', 'resume')),
    change_number integer not null default 0,
    seen_updates text[] not null default '{}',
    is_closing boolean not null default false,
    failure_notified_at timestamptz(3),
    reminded_of timestamptz(3),
    sequence bigint not null default 0,
    applied_sequence bigint not null default 0,
    ask_again_at timestamptz(3),
    ${createdAt},
    -- An operator gave a membership without terms; nothing is charged for it.
    constraint membership_terms check (
      num_nonnulls(price_id, amount_minor, currency, billing_interval) in (0, 4)
      and (processor_id is null or price_id is not null)
    )
  )`,
  // A person has one membership that runs, and beside it at most one checkout.
  sql`create unique index membership_live on membership (person_id)
    where status in ('active', 'past_due', 'canceling')`,
  sql`create unique index membership_open on membership (person_id) where status = 'incomplete'`,
  sql`create index membership_person on membership (person_id)`,
  sql`create index membership_ask_again on membership (ask_again_at, id)
    where ask_again_at is not null`,
  sql`create table membership_activation (
    membership_id uuid not null references membership,
    product_id uuid not null references product,
    opened_at timestamptz(3) not null default gatehouse_now(),
    -- The membership ended then, or the product was no longer Included.
    closed_at timestamptz(3),
    primary key (membership_id, product_id)
  )`,
  sql`create index membership_activation_product on membership_activation (product_id)
    where closed_at is null`,
  // The activated products are notified of the changes in this order; a row says how far that has come.
  sql`create table membership_change (
    id bigint generated always as identity primary key,
    membership_id uuid not null references membership,
    reason text not null check (reason in
      ('granted', 'cancelled', 'resumed', 'renewed', 'elapsed', 'withdrawn', 'refunded')),
    notified_through uuid,
    notified_at timestamptz(3),
    ${createdAt}
  )`,
  sql`create index membership_change_unnotified on membership_change (membership_id, id)
    where notified_at is null`,
];

export const entitlements = [...access, ...membership];
