import { Migration } from '@mikro-orm/migrations';

const sql = String.raw;

export class Identity extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  // An answered consent page stays for a moment: browsers send a form twice, and follow the last answer.
  sql`alter table authorize_request
    add decision text check (decision in ('allow', 'deny')),
    add settled_at timestamptz(3),
    add settled_by bytea`,
  // The registration that the new passkey belongs to.
  sql`alter table passkey_challenge add registration_id uuid`,
];
