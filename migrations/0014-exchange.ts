import { Migration } from '@mikro-orm/migrations';

const sql = String.raw;

export class Exchange extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  // A code is written once and consumed once: with room in its page, no index hears of it again.
  sql`alter table authorization_code set (fillfactor = 50)`,
  // A token is made from a code under the lock of its consent, which refers to both: to look them up
  // once more would lock the row of a busy client at every exchange.
  sql`alter table access_token
    drop constraint access_token_client_id_fkey,
    drop constraint access_token_person_id_fkey`,
];
