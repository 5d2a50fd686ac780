/** Makes what is not there. A role that owns the schema needs no right to make it; one that sees no other has a clock of its own. */
export const SCHEMA = `
do $$ begin
  if to_regnamespace('simulator') is null then create schema simulator; end if;
  if to_regprocedure('gatehouse_now()') is null then
    execute format('create function %I.gatehouse_now() returns timestamptz language sql stable
      as ''select date_trunc(''''milliseconds'''', statement_timestamp())''', current_schema());
  end if;
exception when duplicate_function or unique_violation then null;
end $$;

-- A clock that runs ahead of everybody else's by as much as a knob says.
create table if not exists simulator.clock (
  only_one boolean primary key default true check (only_one),
  ahead interval not null default '0'
);
insert into simulator.clock default values on conflict do nothing;
create or replace function simulator.now() returns timestamptz language sql stable
  as 'select gatehouse_now() + ahead from simulator.clock';

-- From the first day, not from the period before: after 28 February comes 31 March again.
create or replace function simulator.period_at(started timestamptz, every text, nth integer)
  returns timestamptz language sql immutable as
  'select (started at time zone ''UTC''
    + make_interval(months => nth * case every when ''year'' then 12 else 1 end))
    at time zone ''UTC''';

create table if not exists simulator.idempotency (
  key text primary key,
  fingerprint text not null,
  answer jsonb,
  created_at timestamptz not null default gatehouse_now()
);

create table if not exists simulator.account (
  id text primary key,
  email text not null,
  created_at timestamptz not null default gatehouse_now(),
  state text not null default 'enabled' check (state in ('new', 'in_review', 'enabled', 'closed'))
);

create table if not exists simulator.account_link (
  token text primary key,
  account_id text not null references simulator.account,
  refresh_url text not null,
  return_url text not null,
  created_at timestamptz not null default gatehouse_now(),
  expires_at timestamptz not null,
  used_at timestamptz
);

create table if not exists simulator.checkout_session (
  id text primary key,
  status text not null default 'open' check (status in ('open', 'complete', 'expired')),
  payment_status text not null default 'unpaid' check (payment_status in ('unpaid', 'paid')),
  amount bigint not null check (amount > 0),
  currency text not null check (currency ~ '^[a-z]{3}$'),
  product_name text not null,
  customer_email text,
  client_reference_id text,
  metadata jsonb not null,
  intent_metadata jsonb not null,
  destination text references simulator.account,
  application_fee bigint check (application_fee between 0 and amount),
  application_fee_percent numeric(5, 2),
  recurring_interval text check (recurring_interval in ('month', 'year')),
  success_url text not null,
  cancel_url text not null,
  created_at timestamptz not null default gatehouse_now(),
  expires_at timestamptz not null,
  check (payment_status = 'unpaid' or status = 'complete')
);
create index if not exists checkout_session_open
  on simulator.checkout_session (expires_at) where status = 'open';

-- Destination and fee are null as long as they are those of the session.
create table if not exists simulator.subscription (
  id text primary key,
  session_id text not null unique references simulator.checkout_session,
  customer_id text not null unique,
  status text not null check (status in ('active', 'past_due', 'canceled')),
  card text not null,
  started_at timestamptz not null,
  period integer not null default 0,
  period_end timestamptz not null,
  cancel_at_period_end boolean not null default false,
  canceled_at timestamptz,
  ended_at timestamptz,
  destination text references simulator.account,
  fee_percent numeric(5, 2),
  check ((status = 'canceled') = (ended_at is not null))
);
create index if not exists subscription_running
  on simulator.subscription (period_end) where status <> 'canceled';

create table if not exists simulator.invoice (
  id text primary key,
  subscription_id text not null references simulator.subscription,
  period integer not null,
  status text not null default 'open' check (status in ('open', 'paid')),
  attempts integer not null default 0,
  next_attempt_at timestamptz,
  created_at timestamptz not null,
  paid_at timestamptz,
  unique (subscription_id, period),
  check ((status = 'paid') = (paid_at is not null)),
  check (status = 'open' or next_attempt_at is null)
);
create index if not exists invoice_due
  on simulator.invoice (next_attempt_at) where next_attempt_at is not null;

-- Each invoice has its own payment; the first of a session is the one that its page has made. The
-- destination is that of a renewal whose subscription pays another account than its session did.
create table if not exists simulator.payment_intent (
  id text primary key,
  session_id text not null references simulator.checkout_session,
  invoice_id text references simulator.invoice,
  is_renewal boolean not null default false,
  status text not null check (status in (
    'requires_payment_method', 'requires_action', 'processing', 'succeeded', 'canceled')),
  error_code text,
  clears_at timestamptz,
  fails_late boolean not null default false,
  refunds text not null default 'succeed'
    check (refunds in ('succeed', 'succeed_late', 'fail_late')),
  destination text references simulator.account,
  created_at timestamptz not null default gatehouse_now(),
  check ((status = 'processing') = (clears_at is not null))
);
create index if not exists payment_intent_clearing
  on simulator.payment_intent (clears_at) where status = 'processing';
create unique index if not exists payment_intent_first
  on simulator.payment_intent (session_id) where not is_renewal;
create unique index if not exists payment_intent_invoice on simulator.payment_intent (invoice_id);

create table if not exists simulator.refund (
  id text primary key,
  intent_id text not null references simulator.payment_intent,
  amount bigint not null check (amount > 0),
  status text not null check (status in ('pending', 'succeeded', 'failed')),
  reason text,
  failure_reason text,
  metadata jsonb not null,
  transfer_reversal text,
  settles_at timestamptz,
  created_at timestamptz not null default gatehouse_now()
);
create index if not exists refund_intent on simulator.refund (intent_id);
create index if not exists refund_settling on simulator.refund (settles_at)
  where settles_at is not null;

create table if not exists simulator.dispute (
  id text primary key,
  session_id text not null references simulator.checkout_session,
  intent_id text references simulator.payment_intent,
  amount bigint not null check (amount > 0),
  reason text not null,
  status text not null,
  created_at timestamptz not null
);
create index if not exists dispute_session on simulator.dispute (session_id);
create index if not exists dispute_intent on simulator.dispute (intent_id);

create table if not exists simulator.portal_session (
  token text primary key,
  customer_id text not null references simulator.subscription (customer_id),
  return_url text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);

create table if not exists simulator.payout (
  id text primary key,
  account_id text not null references simulator.account,
  amount bigint not null check (amount > 0),
  currency text not null check (currency ~ '^[a-z]{3}$'),
  status text not null check (status in ('paid', 'failed')),
  failure_code text,
  created_at timestamptz not null,
  check ((status = 'failed') = (failure_code is not null))
);

-- Money of the platform on its way to the account of a seller. The platform's balance is not kept.
create table if not exists simulator.transfer (
  id text primary key,
  account_id text not null references simulator.account,
  amount bigint not null check (amount > 0),
  currency text not null check (currency ~ '^[a-z]{3}$'),
  transfer_group text,
  metadata jsonb not null,
  created_at timestamptz not null default simulator.now()
);
create index if not exists transfer_of_group on simulator.transfer (transfer_group);

create table if not exists simulator.event (
  number bigint generated always as identity primary key,
  id text not null unique,
  body text not null,
  attempts integer not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  next_at timestamptz default clock_timestamp(),
  delivered_at timestamptz,
  fate text not null default 'send' check (fate in ('send', 'hold', 'drop')),
  copies integer not null default 0
);
create index if not exists event_due on simulator.event (next_at) where delivered_at is null;

-- What happens to the next events instead of being sent once, at once.
create table if not exists simulator.knob (
  only_one boolean primary key default true check (only_one),
  fate text not null default 'send',
  copies integer not null default 0,
  events_left integer not null default 0
);
insert into simulator.knob default values on conflict do nothing;

-- What happens to the next transfers instead of being made and answered at once.
create table if not exists simulator.transfer_knob (
  only_one boolean primary key default true check (only_one),
  fate text not null default 'make',
  transfers_left integer not null default 0,
  seconds double precision not null default 0
);
insert into simulator.transfer_knob default values on conflict do nothing;
`;
