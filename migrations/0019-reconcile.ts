import { Migration } from '@mikro-orm/migrations';

const sql = String.raw;

export class Reconcile extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  // When reconciliation asks the processor again by itself; null once there is nothing left to ask.
  sql`alter table purchase
    add ask_again_at timestamptz(3) default gatehouse_now() + interval '10 minutes'`,
  sql`update purchase set ask_again_at = null
    where status not in ('pending', 'clearing', 'failed', 'canceled')`,
  sql`create index purchase_ask_again on purchase (ask_again_at, id)
    where ask_again_at is not null`,
  // What an operator decided not to follow, and why.
  sql`alter table processor_event
    add set_aside_at timestamptz(3),
    add set_aside_by uuid references person,
    add set_aside_note text check (length(set_aside_note) between 1 and 500),
    add constraint processor_event_set_aside check (
      num_nonnulls(set_aside_at, set_aside_by, set_aside_note) in (0, 3)
      and (set_aside_at is null or handled_at is not null)
    )`,
  sql`create index processor_event_dead_lettered on processor_event (received_at, id)
    where dead_letter_reason is not null and handled_at is null`,
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
  sql`create table dispute (
    id text primary key,
    payment_id text not null references payment,
    processor_id text not null unique,
    amount_minor bigint not null check (amount_minor >= 0),
    currency char(3) not null,
    reason text not null,
    status text not null check (status in ('warning', 'open', 'won', 'lost', 'closed')),
    sequence bigint not null,
    created_at timestamptz(3) not null default gatehouse_now(),
    settled_at timestamptz(3)
  )`,
  sql`create index dispute_payment on dispute (payment_id)`,
];
