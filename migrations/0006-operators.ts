import { Migration } from '@mikro-orm/migrations';

const sql = String.raw;

export class Operators extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  sql`alter table person add builder_requested_at timestamptz(3)`,
  sql`create index person_waiting on person (builder_requested_at, id)
    where builder_requested_at is not null and builder_verified_at is null and deleted_at is null`,
  // Handles by how they begin, whatever the database's collation.
  sql`create index person_handle_start on person (handle collate "C") where deleted_at is null`,
  sql`create index person_builder_start on person (handle collate "C")
    where builder_verified_at is not null and deleted_at is null`,
  sql`create index person_operator on person (id) where is_operator`,
  sql`create index audit_action on audit (action collate "C", at, id)`,
  sql`create index audit_subject on audit (subject, at, id)`,
  // The closed list of purposes is MailPurpose; the column refuses what could not be one.
  sql`alter table mail_token
    drop constraint mail_token_purpose_check,
    add constraint mail_token_purpose_check check (purpose ~ '^[a-z]+(_[a-z]+)*$')`,
];
