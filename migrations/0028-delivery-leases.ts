import { Migration } from '@mikro-orm/migrations';

const sql = String.raw;

export class DeliveryLeases extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  // Beside the deliveries, whose many indexes each claim would have to write. Made and ended by whoever
  // holds the lock of the delivery; entries that are gone are cleared one by one, so none are merged.
  sql`create table delivery_lease (
    delivery_id text primary key,
    endpoint_id uuid not null,
    token uuid not null,
    until timestamptz(3) not null
  )`,
  sql`create index delivery_lease_endpoint on delivery_lease (endpoint_id) with (deduplicate_items = off)`,
  sql`insert into delivery_lease (delivery_id, endpoint_id, token, until)
    select id, endpoint_id, lease_token, lease_until from delivery where lease_token is not null`,
  sql`drop index delivery_next`,
  sql`drop index delivery_leased`,
  sql`drop index delivery_abandoned`,
  sql`alter table delivery drop lease_token, drop lease_until`,
  sql`create index delivery_next on delivery (endpoint_id, due_at) with (deduplicate_items = off)
    where status = 'pending'`,
];
