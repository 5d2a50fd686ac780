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
  // Who is about to sign up with the passkey that is being made.
  sql`alter table passkey_challenge add newcomer_id uuid`,
];
