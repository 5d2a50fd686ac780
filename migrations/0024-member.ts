import { Migration } from '@mikro-orm/migrations';

const sql = String.raw;

export class Member extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  // Versions, never edited: whoever subscribes keeps the terms that they were shown.
  sql`create table member_price (
    id uuid primary key,
    currency char(3) not null,
    billing_interval text not null check (billing_interval in ('month', 'year')),
    amount_minor bigint not null check (amount_minor > 0),
    set_by uuid references person,
    created_at timestamptz(3) not null default gatehouse_now(),
    retired_at timestamptz(3)
  )`,
  sql`create unique index member_price_active on member_price (currency, billing_interval)
    where retired_at is null`,
  sql`alter table membership
    add price_id uuid references member_price,
    add amount_minor bigint check (amount_minor > 0),
    add currency char(3),
    add billing_interval text check (billing_interval in ('month', 'year')),
    add session_id text,
    add session_url text,
    add session_expires_at timestamptz(3) not null default gatehouse_now() + interval '24 hours',
    add processor_id text unique,
    add period_start timestamptz(3),
    add period_end timestamptz(3),
    add past_due_at timestamptz(3),
    add grace_ends_at timestamptz(3),
    add cancel_at timestamptz(3),
    add ended_at timestamptz(3),
    add requested_change text check (requested_change in ('cancel', 'resume')),
    add change_number integer not null default 0,
    add is_closing boolean not null default false,
    add failure_notified_at timestamptz(3),
    add reminded_of timestamptz(3),
    add sequence bigint not null default 0,
    add applied_sequence bigint not null default 0,
    add ask_again_at timestamptz(3),
    -- One without terms was given, and nothing is charged for it.
    add constraint membership_terms check (
      num_nonnulls(price_id, amount_minor, currency, billing_interval) in (0, 4)
      and (processor_id is null or price_id is not null)
    )`,
  // One that runs, and beside it at most one checkout.
  sql`drop index membership_live`,
  sql`create unique index membership_live on membership (person_id)
    where status in ('active', 'past_due', 'canceling')`,
  sql`create unique index membership_open on membership (person_id) where status = 'incomplete'`,
  sql`create index membership_person on membership (person_id)`,
  sql`create index membership_ask_again on membership (ask_again_at, id)
    where ask_again_at is not null`,
  // Until when it was open: its membership has ended, or the product is no longer Included.
  sql`alter table membership_activation add closed_at timestamptz(3)`,
  sql`create index membership_activation_product on membership_activation (product_id)
    where closed_at is null`,
  // What the opened products are yet to be told, in its order, and how far that has come.
  sql`create table membership_change (
    id bigint generated always as identity primary key,
    membership_id uuid not null references membership,
    reason text not null
      check (reason in ('cancelled', 'resumed', 'renewed', 'elapsed', 'withdrawn', 'refunded')),
    notified_through uuid,
    notified_at timestamptz(3),
    created_at timestamptz(3) not null default gatehouse_now()
  )`,
  sql`create index membership_change_unnotified on membership_change (membership_id, id)
    where notified_at is null`,
  // A lapse is remembered where nothing else ever gave access.
  sql`alter table entitlement
    drop constraint entitlement_type_check,
    add constraint entitlement_type_check
      check (type in ('purchase', 'subscription', 'complimentary', 'member'))`,
  sql`alter table payment
    alter purchase_id drop not null,
    add membership_id uuid references membership,
    add constraint payment_for check (num_nonnulls(purchase_id, membership_id) = 1),
    drop constraint payment_period,
    add constraint payment_period check (
      num_nonnulls(period_start, period_end) in (0, 2)
      and (period_start is null or num_nonnulls(subscription_id, membership_id) = 1)
    )`,
  sql`create index payment_membership on payment (membership_id, period_start)
    where membership_id is not null`,
  sql`alter table processor_event add membership_id uuid references membership`,
  sql`create index processor_event_of_membership on processor_event (membership_id)
    where membership_id is not null and handled_at is null`,
];
