import { createdAt, sql } from './sql.ts';

const checkout = [
  // The newest row holds; the others are its history.
  sql`create table platform_fee (
    id bigint generated always as identity primary key,
    basis_points integer not null check (basis_points between 0 and 10000),
    since timestamptz(3) not null default gatehouse_now(),
    set_by uuid references person
  )`,
  sql`insert into platform_fee (basis_points, since) values (1000, to_timestamp(0))`,
  sql`create function platform_fee_now() returns integer language sql stable
    as $$ select basis_points from platform_fee order by id desc limit 1 $$`,
  sql`create table click (
    id uuid primary key,
    product_id uuid not null references product,
    source text not null,
    campaign text check (length(campaign) <= 24),
    raw text check (length(raw) <= 512),
    ${createdAt}
  )`,
  sql`create index click_product on click (product_id, created_at, id)`,
  sql`create index click_created on click (created_at)`,
  sql`create table checkout (
    id uuid primary key,
    person_id uuid not null references person,
    product_id uuid not null references product,
    offer_id uuid not null references offer,
    price_id uuid not null references price,
    amount_minor bigint not null check (amount_minor > 0),
    currency char(3) not null,
    -- The fee of the moment: the processor is told the same fee that the ledger books.
    fee_basis_points integer not null default platform_fee_now()
      check (fee_basis_points between 0 and 10000),
    status text not null default 'open'
      check (status in ('open', 'paid', 'expired', 'abandoned', 'replaced')),
    session_id text unique,
    session_url text,
    expires_at timestamptz(3) not null,
    ${createdAt}
  )`,
  sql`create unique index checkout_open on checkout (person_id, product_id) where status = 'open'`,
  // The open checkouts of a product end when it is removed.
  sql`create index checkout_open_of_product on checkout (product_id) where status = 'open'`,
];

const purchase = [
  sql`create table purchase (
    id text primary key,
    checkout_id uuid not null unique references checkout,
    person_id uuid not null references person,
    product_id uuid not null references product,
    status text not null default 'pending' check (status in (
      'pending', 'clearing', 'cleared', 'failed', 'canceled', 'quarantined', 'refunded', 'charged_back'
    )),
    service_source text not null check (service_source in (
      'buy_link', 'website', 'docs', 'github', 'launch', 'email', 'social', 'api', 'store', 'other'
    )),
    service_campaign text,
    service_campaign_raw text,
    sequence bigint not null default 0,
    applied_sequence bigint not null default 0,
    -- The amount that is back at the buyer; its grant is withdrawn from the instant at which all of it is.
    refunded_minor bigint not null default 0 check (refunded_minor >= 0),
    refunded_at timestamptz(3),
    -- Reconciliation asks the processor then by itself; null once nothing is left to ask.
    ask_again_at timestamptz(3) default gatehouse_now() + interval '10 minutes',
    ${createdAt},
    cleared_at timestamptz(3)
  )`,
  sql`create index purchase_person on purchase (person_id, product_id)`,
  sql`create index purchase_of_person on purchase (person_id, id)`,
  sql`create index purchase_product on purchase (product_id, created_at, id)`,
  sql`create index purchase_ask_again on purchase (ask_again_at, id)
    where ask_again_at is not null`,
];

const subscription = [
  // A subscription comes with its first purchase and keeps the terms of it, whatever prices do later.
  sql`create table subscription (
    id text primary key,
    purchase_id text not null unique references purchase,
    person_id uuid not null references person,
    product_id uuid not null references product,
    price_id uuid not null references price,
    amount_minor bigint not null check (amount_minor > 0),
    currency char(3) not null,
    billing_interval text not null check (billing_interval in ('month', 'year')),
    processor_id text unique,
    status text not null default 'incomplete'
      check (status in ('incomplete', 'active', 'past_due', 'canceling', 'ended')),
    -- The first payment, however often the money of the purchase comes and goes later.
    began_at timestamptz(3),
    period_start timestamptz(3),
    period_end timestamptz(3),
    past_due_at timestamptz(3),
    grace_ends_at timestamptz(3),
    cancel_at timestamptz(3),
    ended_at timestamptz(3),
    -- The change that the person has asked for and the processor has yet to confirm; each request has a number.
    requested_change text check (requested_change in ('cancel', 'resume')),
    change_number integer not null default 0,
    -- Ids of the last Updates of its workflow: a workflow that is reset receives each again.
    seen_updates text[] not null default '{}',
    -- The subscription has ended here, and the processor has yet to confirm that it charges no more.
    is_closing boolean not null default false,
    -- The period whose failed payment, and the one whose renewal, a mail has announced.
    failure_notified_at timestamptz(3),
    reminded_of timestamptz(3),
    sequence bigint not null default 0,
    applied_sequence bigint not null default 0,
    ask_again_at timestamptz(3),
    ${createdAt},
    check ((status = 'ended') = (ended_at is not null)),
    check (status <> 'past_due' or grace_ends_at is not null),
    check (status <> 'canceling' or cancel_at is not null),
    constraint subscription_begun check (status in ('incomplete', 'ended') or began_at is not null)
  )`,
  sql`create unique index subscription_live on subscription (person_id, product_id)
    where status in ('active', 'past_due', 'canceling')`,
  sql`create index subscription_product on subscription (product_id) where status <> 'ended'`,
  sql`create index subscription_ask_again on subscription (ask_again_at, id)
    where ask_again_at is not null`,
  // These hold all columns that the list of subscribers and the months of a product add up.
  sql`create index subscription_began on subscription (product_id, began_at, id)
    include (ended_at, currency, billing_interval, amount_minor) where began_at is not null`,
  sql`create index subscription_status on subscription (product_id, status, began_at, id)
    where began_at is not null`,
  sql`create index subscription_renewal on subscription (product_id, period_end)
    where status in ('active', 'past_due')`,
];

export const purchases = [...checkout, ...purchase, ...subscription];
