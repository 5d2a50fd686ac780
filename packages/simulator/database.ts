import pg from 'pg';
import { PreparingClient } from '../../platform/database/preparing-client.ts';
import { BILLING_SCHEMA } from './billing/schema.ts';
import { TRANSFERS_SCHEMA } from './transfers/schema.ts';

export type Transaction = pg.PoolClient;

/** Reads within a transaction or without. */
export type Queryable = pg.Pool | Transaction;

// Any number that nobody else locks: it makes processes that start together wait for each other.
const SETUP_LOCK = 7_233_424_242;

// A role that owns the schema needs no right to make it. One that sees no other has a clock of its own.
const SCHEMA = `
do $$ begin
  if to_regnamespace('simulator') is null then create schema simulator; end if;
  if to_regprocedure('gatehouse_now()') is null then
    execute format('create function %I.gatehouse_now() returns timestamptz language sql stable
      as ''select date_trunc(''''milliseconds'''', statement_timestamp())''', current_schema());
  end if;
exception when duplicate_function or unique_violation then null;
end $$;

create table if not exists simulator.idempotency (
  key text primary key,
  fingerprint text not null,
  answer jsonb,
  created_at timestamptz not null default gatehouse_now()
);

create table if not exists simulator.account (
  id text primary key,
  email text not null,
  created_at timestamptz not null default gatehouse_now()
);

-- Accounts of an earlier version could charge at once.
alter table simulator.account add column if not exists state text not null default 'enabled'
  check (state in ('new', 'in_review', 'enabled'));

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
  metadata jsonb not null,
  intent_metadata jsonb not null,
  destination text references simulator.account,
  application_fee bigint check (application_fee between 0 and amount),
  success_url text not null,
  cancel_url text not null,
  created_at timestamptz not null default gatehouse_now(),
  expires_at timestamptz not null,
  check (payment_status = 'unpaid' or status = 'complete')
);
alter table simulator.checkout_session add column if not exists client_reference_id text;
create index if not exists checkout_session_open
  on simulator.checkout_session (expires_at) where status = 'open';

create table if not exists simulator.payment_intent (
  id text primary key,
  session_id text not null unique references simulator.checkout_session,
  status text not null
    check (status in ('requires_payment_method', 'processing', 'succeeded', 'canceled')),
  error_code text,
  clears_at timestamptz,
  fails_late boolean not null default false,
  created_at timestamptz not null default gatehouse_now(),
  check ((status = 'processing') = (clears_at is not null))
);
create index if not exists payment_intent_clearing
  on simulator.payment_intent (clears_at) where status = 'processing';

alter table simulator.payment_intent add column if not exists refunds text not null
  default 'succeed' check (refunds in ('succeed', 'succeed_late', 'fail_late'));

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

create table if not exists simulator.event (
  number bigint generated always as identity primary key,
  id text not null unique,
  body text not null,
  attempts integer not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  next_at timestamptz default clock_timestamp(),
  delivered_at timestamptz
);
create index if not exists event_due on simulator.event (next_at) where delivered_at is null;

alter table simulator.payment_intent drop constraint if exists payment_intent_status_check;
alter table simulator.payment_intent add constraint payment_intent_status_check check (status in (
  'requires_payment_method', 'requires_action', 'processing', 'succeeded', 'canceled'));

create table if not exists simulator.dispute (
  id text primary key,
  session_id text not null references simulator.checkout_session,
  amount bigint not null check (amount > 0),
  reason text not null,
  status text not null,
  created_at timestamptz not null
);
create index if not exists dispute_session on simulator.dispute (session_id);

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

-- What happens to the next events instead of being sent once, at once.
alter table simulator.event add column if not exists fate text not null default 'send'
  check (fate in ('send', 'hold', 'drop'));
alter table simulator.event add column if not exists copies integer not null default 0;
create table if not exists simulator.knob (
  only_one boolean primary key default true check (only_one),
  fate text not null default 'send',
  copies integer not null default 0,
  events_left integer not null default 0
);
insert into simulator.knob default values on conflict do nothing;

-- A clock that runs ahead of everybody else's by as much as a knob says.
create table if not exists simulator.clock (
  only_one boolean primary key default true check (only_one),
  ahead interval not null default '0'
);
insert into simulator.clock default values on conflict do nothing;
create or replace function simulator.now() returns timestamptz language sql stable
  as 'select gatehouse_now() + ahead from simulator.clock';
`;

/** The simulator's own schema in the given database, made if it is not there. */
export async function openSimulatorDatabase(url: string): Promise<pg.Pool> {
  const pool = new pg.Pool({
    Client: PreparingClient,
    connectionString: url,
    max: 10,
    application_name: 'payment-simulator',
    connectionTimeoutMillis: 5_000,
  });
  // A connection broke: the pool opens another, and the statement that it was lent for fails by itself.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  try {
    await transaction(pool, async (client) => {
      await client.query('select pg_advisory_xact_lock($1)', [SETUP_LOCK]);
      await client.query(SCHEMA);
      await client.query(BILLING_SCHEMA);
      await client.query(TRANSFERS_SCHEMA);
    });
  } catch (error) {
    await pool.end();
    throw error;
  }
  return pool;
}

export async function transaction<HttpResponse>(
  pool: pg.Pool,
  work: (client: Transaction) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin');
    const answer = await work(client);
    await client.query('commit');
    return answer;
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => (broken = failure));
    throw error;
  } finally {
    client.release(broken);
  }
}
