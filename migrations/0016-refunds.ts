import { Migration } from '@mikro-orm/migrations';

const sql = String.raw;

export class Refunds extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const created = 'created_at timestamptz(3) not null default gatehouse_now()';

const statements = [
  // What is back at the buyer; and the instant since which all of it is: its grant is withdrawn from then on.
  sql`alter table purchase
    add refunded_minor bigint not null default 0 check (refunded_minor >= 0),
    add refunded_at timestamptz(3)`,
  sql`create index purchase_product on purchase (product_id, created_at, id)`,
  sql`create table refund (
    id text primary key,
    payment_id text not null references payment,
    amount_minor bigint not null check (amount_minor > 0),
    currency char(3) not null,
    status text not null default 'requested' check (status in (
      'requested', 'submitted', 'succeeded', 'reversed', 'failed', 'canceled'
    )),
    -- Nobody for what the platform or the processor began.
    requested_by uuid references person,
    reason text,
    failure text,
    processor_id text unique,
    ${created},
    settled_at timestamptz(3),
    reversed_at timestamptz(3)
  )`,
  sql`create index refund_payment on refund (payment_id)`,
  sql`create index refund_open on refund (created_at) where status in ('requested', 'submitted')`,
  sql`create table ledger_entry (
    id bigint generated always as identity primary key,
    -- What happened, once: the payment that cleared, the refund that succeeded or was reversed.
    booking text not null,
    account text not null check (account in ('buyer', 'seller', 'platform')),
    kind text not null check (kind in (
      'gross', 'cut', 'refund', 'reversal', 'chargeback', 'cut_returned', 'loss'
    )),
    amount_minor bigint not null check (amount_minor <> 0),
    currency char(3) not null,
    payment_id text not null references payment,
    refund_id text references refund,
    ${created},
    unique (booking, account, kind)
  )`,
  sql`create index ledger_entry_payment on ledger_entry (payment_id)`,
  sql`create table ledger_check (
    id bigint generated always as identity primary key,
    at timestamptz(3) not null default gatehouse_now(),
    -- Currencies whose entries do not sum to zero, with what is left over.
    unbalanced jsonb not null
  )`,
  // Money that came before there was a ledger.
  sql`insert into ledger_entry
      (booking, account, kind, amount_minor, currency, payment_id, created_at)
    select p.id || ':cleared', entry.account, entry.kind, entry.amount, p.currency, p.id, p.created_at
    from payment p cross join lateral (values
      ('buyer', 'gross', -p.gross_minor), ('seller', 'gross', p.gross_minor),
      ('seller', 'cut', -p.cut_minor), ('platform', 'cut', p.cut_minor)
    ) entry (account, kind, amount)
    where p.status in ('succeeded', 'partially_refunded', 'refunded') and entry.amount <> 0`,
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
  // At the end of the transaction: a booking is several rows.
  sql`create constraint trigger ledger_is_balanced after insert on ledger_entry
    deferrable initially deferred for each row execute function balance_booking()`,
];
