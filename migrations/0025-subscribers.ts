import { Migration } from '@mikro-orm/migrations';

const sql = String.raw;

export class Subscribers extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  // Since when it has run: the purchase's own instant moves on when its money comes a second time.
  sql`alter table subscription add began_at timestamptz(3)`,
  sql`update subscription s set began_at = coalesce(
      (select r.issued_at from receipt r where r.purchase_id = s.purchase_id), p.cleared_at)
    from purchase p where p.id = s.purchase_id and p.cleared_at is not null`,
  sql`alter table subscription add constraint subscription_begun check (
    status in ('incomplete', 'ended') or began_at is not null)`,
  // The list of a product's subscribers, and its months: an index has all that these add up.
  sql`create index subscription_began on subscription (product_id, began_at, id)
    include (ended_at, currency, billing_interval, amount_minor) where began_at is not null`,
  sql`create index subscription_status on subscription (product_id, status, began_at, id)
    where began_at is not null`,
  // What is charged next.
  sql`create index subscription_renewal on subscription (product_id, period_end)
    where status in ('active', 'past_due')`,
];
