import { Migration } from '@mikro-orm/migrations';

const sql = String.raw;

export class Counts extends Migration {
  override up(): void {
    // Rows of today are counted up all day long: with room in their page, no index hears of it.
    this.addSql(sql`alter table usage_day set (fillfactor = 50)`);
    this.addSql(sql`alter table check_count set (fillfactor = 50)`);
  }
}
