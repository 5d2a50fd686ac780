import { Migration } from '@mikro-orm/migrations';

const sql = String.raw;

export class Subscriptions extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  // Made with its first purchase, whose terms it keeps however prices change.
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
    period_start timestamptz(3),
    period_end timestamptz(3),
    past_due_at timestamptz(3),
    grace_ends_at timestamptz(3),
    cancel_at timestamptz(3),
    ended_at timestamptz(3),
    -- What its person has asked for and the processor has yet to confirm; each request has a number.
    requested_change text check (requested_change in ('cancel', 'resume')),
    change_number integer not null default 0,
    -- It has ended here, and the processor has yet to confirm that nothing is charged any more.
    is_closing boolean not null default false,
    -- The period whose failure, and the one whose renewal, a mail has told of.
    failure_notified_at timestamptz(3),
    reminded_of timestamptz(3),
    sequence bigint not null default 0,
    applied_sequence bigint not null default 0,
    ask_again_at timestamptz(3),
    created_at timestamptz(3) not null default gatehouse_now(),
    check ((status = 'ended') = (ended_at is not null)),
    check (status <> 'past_due' or grace_ends_at is not null),
    check (status <> 'canceling' or cancel_at is not null)
  )`,
  sql`create unique index subscription_live on subscription (person_id, product_id)
    where status in ('active', 'past_due', 'canceling')`,
  sql`create index subscription_product on subscription (product_id) where status <> 'ended'`,
  sql`create index subscription_ask_again on subscription (ask_again_at, id)
    where ask_again_at is not null`,
  sql`alter table payment
    add subscription_id text references subscription,
    add period_start timestamptz(3),
    add period_end timestamptz(3),
    -- What of it is back at the buyer, by refunds and lost disputes.
    add returned_minor bigint not null default 0 check (returned_minor >= 0),
    add constraint payment_period check (
      num_nonnulls(period_start, period_end) in (0, 2)
      and (period_start is null or subscription_id is not null)
    )`,
  sql`update payment p set returned_minor =
    (select coalesce(sum(r.amount_minor), 0) from refund r
      where r.payment_id = p.id and r.status = 'succeeded')
    + (select coalesce(sum(d.amount_minor), 0) from dispute d
      where d.payment_id = p.id and d.status = 'lost' and d.currency = p.currency)`,
  sql`create index payment_subscription on payment (subscription_id, period_start)
    where subscription_id is not null`,
  sql`alter table processor_event add subscription_id text references subscription`,
  sql`create index processor_event_of_subscription on processor_event (subscription_id)
    where subscription_id is not null and handled_at is null`,
];
