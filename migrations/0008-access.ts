import { Migration } from '@mikro-orm/migrations';

const sql = String.raw;

export class Access extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  sql`create table membership_activation (
    membership_id uuid not null references membership,
    product_id uuid not null references product,
    opened_at timestamptz(3) not null default gatehouse_now(),
    primary key (membership_id, product_id)
  )`,
  sql`alter table api_key add last_used_at timestamptz(3)`,
  // Who granted it; a purchase needs nobody.
  sql`alter table access_grant add granted_by uuid references person`,
  sql`create index access_grant_complimentary on access_grant (product_id, created_at desc, id desc)
    where type = 'complimentary'`,
];
