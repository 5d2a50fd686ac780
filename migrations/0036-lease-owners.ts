import { Migration } from '@mikro-orm/migrations';

const sql = String.raw;

export class LeaseOwners extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  // Counts what is under way for one owner of products. A lease lives for seconds: a product that changes
  // hands takes only its later leases along.
  sql`alter table delivery_lease add owner_id uuid`,
  sql`update delivery_lease l set owner_id = coalesce(p.owner_team_id, p.owner_person_id)
    from webhook_endpoint e join product p on p.id = e.product_id where e.id = l.endpoint_id`,
  sql`delete from delivery_lease where owner_id is null`,
  sql`alter table delivery_lease alter owner_id set not null`,
  sql`create index delivery_lease_owner on delivery_lease (owner_id) with (deduplicate_items = off)`,
];
