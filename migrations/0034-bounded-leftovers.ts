import { Migration } from '@mikro-orm/migrations';

const sql = String.raw;

/** Anonymous callers leave little, and what is over is found by an index. */
export class BoundedLeftovers extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  // A limit that forgets a minute is accepted; the index is made on an empty table.
  sql`truncate rate_window`,
  sql`create index rate_window_minute on rate_window (minute)`,
  sql`alter table pre_session add constraint pre_session_is_small
    check (length(return_to) <= 4096) not valid`,
];
