import { Migration } from '@mikro-orm/migrations';

const sql = String.raw;

export class EdgesOfOwnership extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  // Those of a removed product end with it.
  sql`create index checkout_open_of_product on checkout (product_id) where status = 'open'`,
];
