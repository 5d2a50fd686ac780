/** Subscriptions, beside what single payments need. */
export const BILLING_SCHEMA = `
alter table simulator.checkout_session add column if not exists recurring_interval text
  check (recurring_interval in ('month', 'year'));
alter table simulator.checkout_session add column if not exists application_fee_percent numeric(5, 2);

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
  check ((status = 'canceled') = (ended_at is not null))
);
-- Null as long as they are those of its session.
alter table simulator.subscription add column if not exists destination text
  references simulator.account;
alter table simulator.subscription add column if not exists fee_percent numeric(5, 2);
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

-- Each invoice has its own payment; the first of a session is the one that its page has made.
alter table simulator.payment_intent add column if not exists invoice_id text
  references simulator.invoice;
alter table simulator.payment_intent add column if not exists is_renewal boolean not null
  default false;
-- Of a renewal whose subscription pays another account than its session did.
alter table simulator.payment_intent add column if not exists destination text
  references simulator.account;
alter table simulator.payment_intent drop constraint if exists payment_intent_session_id_key;
create unique index if not exists payment_intent_first
  on simulator.payment_intent (session_id) where not is_renewal;
create unique index if not exists payment_intent_invoice on simulator.payment_intent (invoice_id);

alter table simulator.dispute add column if not exists intent_id text
  references simulator.payment_intent;
update simulator.dispute d set intent_id = i.id from simulator.payment_intent i
  where d.intent_id is null and i.session_id = d.session_id and not i.is_renewal;
create index if not exists dispute_intent on simulator.dispute (intent_id);

create table if not exists simulator.portal_session (
  token text primary key,
  customer_id text not null references simulator.subscription (customer_id),
  return_url text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);

-- From the first day, not from the period before: after 28 February comes 31 March again.
create or replace function simulator.period_at(started timestamptz, every text, nth integer)
  returns timestamptz language sql immutable as
  'select (started at time zone ''UTC''
    + make_interval(months => nth * case every when ''year'' then 12 else 1 end))
    at time zone ''UTC''';
`;
