import { createdAt, sql } from './sql.ts';

const payment = [
  sql`create table payment (
    id text primary key,
    purchase_id text references purchase,
    subscription_id text references subscription,
    membership_id uuid references membership,
    gross_minor bigint not null check (gross_minor > 0),
    currency char(3) not null,
    cut_minor bigint not null check (cut_minor between 0 and gross_minor),
    status text not null check (status in (
      'pending', 'clearing', 'succeeded', 'partially_refunded', 'refunded', 'failed', 'canceled'
    )),
    processor_id text not null unique,
    period_start timestamptz(3),
    period_end timestamptz(3),
    -- The amount that is back at the buyer by refunds and lost disputes.
    returned_minor bigint not null default 0 check (returned_minor >= 0),
    ${createdAt},
    constraint payment_for check (num_nonnulls(purchase_id, membership_id) = 1),
    constraint payment_period check (
      num_nonnulls(period_start, period_end) in (0, 2)
      and (period_start is null or num_nonnulls(subscription_id, membership_id) = 1)
    )
  )`,
  sql`create index payment_purchase on payment (purchase_id)`,
  sql`create index payment_subscription on payment (subscription_id, period_start)
    where subscription_id is not null`,
  sql`create index payment_membership on payment (membership_id, period_start)
    where membership_id is not null`,
  sql`create table refund (
    id text primary key,
    payment_id text not null references payment,
    amount_minor bigint not null check (amount_minor > 0),
    currency char(3) not null,
    status text not null default 'requested' check (status in (
      'requested', 'submitted', 'succeeded', 'reversed', 'failed', 'canceled'
    )),
    -- Null for refunds of the platform and of the processor.
    requested_by uuid references person,
    reason text,
    failure text,
    processor_id text unique,
    ${createdAt},
    settled_at timestamptz(3),
    reversed_at timestamptz(3)
  )`,
  sql`create index refund_payment on refund (payment_id)`,
  sql`create index refund_open on refund (created_at) where status in ('requested', 'submitted')`,
  sql`create table dispute (
    id text primary key,
    payment_id text not null references payment,
    processor_id text not null unique,
    amount_minor bigint not null check (amount_minor >= 0),
    currency char(3) not null,
    reason text not null,
    status text not null check (status in ('warning', 'open', 'won', 'lost', 'closed')),
    sequence bigint not null,
    ${createdAt},
    settled_at timestamptz(3)
  )`,
  sql`create index dispute_payment on dispute (payment_id)`,
];

const ledger = [
  sql`create table ledger_entry (
    id bigint generated always as identity primary key,
    -- One payment that cleared, or one refund that succeeded or was reversed: it is booked once.
    booking text not null,
    account text not null check (account in ('buyer', 'seller', 'platform')),
    kind text not null check (kind in (
      'gross', 'cut', 'refund', 'reversal', 'chargeback', 'cut_returned', 'loss', 'dispute_fee'
    )),
    amount_minor bigint not null check (amount_minor <> 0),
    currency char(3) not null,
    -- The sold product: a statement reads one stretch of one index.
    product_id uuid references product,
    payment_id text not null references payment,
    refund_id text references refund,
    dispute_id text references dispute,
    ${createdAt},
    unique (booking, account, kind)
  )`,
  sql`create index ledger_entry_payment on ledger_entry (payment_id)`,
  sql`create index ledger_entry_statement on ledger_entry (product_id, created_at, id)
    include (currency, kind, amount_minor) where account = 'seller'`,
  sql`create index ledger_entry_dispute on ledger_entry (dispute_id) where dispute_id is not null`,
  sql`create function keep_ledger() returns trigger language plpgsql as $$
    begin
      raise exception 'the ledger is only added to' using errcode = 'insufficient_privilege';
    end $$`,
  sql`create trigger ledger_is_kept before update or delete on ledger_entry
    for each row execute function keep_ledger()`,
  sql`create trigger ledger_is_not_emptied before truncate on ledger_entry
    for each statement execute function keep_ledger()`,
  sql`create function balance_booking() returns trigger language plpgsql as $$
    begin
      if exists (select 1 from ledger_entry where booking = new.booking
        group by currency having sum(amount_minor) <> 0) then
        raise exception 'booking % does not sum to zero', new.booking
          using errcode = 'check_violation';
      end if;
      return null;
    end $$`,
  // A booking is several rows, so the end of the transaction decides.
  sql`create constraint trigger ledger_is_balanced after insert on ledger_entry
    deferrable initially deferred for each row execute function balance_booking()`,
  sql`create table ledger_check (
    id bigint generated always as identity primary key,
    at timestamptz(3) not null default gatehouse_now(),
    -- Currencies whose entries do not sum to zero, with the remaining amount.
    unbalanced jsonb not null
  )`,
];

// Receipts keep the names of the day.
const receipt = [
  sql`create table receipt (
    purchase_id text primary key references purchase,
    product_name text not null,
    seller_name text not null,
    gross_minor bigint not null check (gross_minor > 0),
    currency char(3) not null,
    issued_at timestamptz(3) not null default gatehouse_now()
  )`,
  // The receipts of renewals, and of all payments of Member.
  sql`create table charge_receipt (
    payment_id text primary key references payment,
    product_name text not null,
    seller_name text not null,
    gross_minor bigint not null check (gross_minor > 0),
    currency char(3) not null,
    issued_at timestamptz(3) not null default gatehouse_now()
  )`,
];

export const payments = [...payment, ...ledger, ...receipt];
