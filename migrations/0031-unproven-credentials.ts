import { Migration } from '@mikro-orm/migrations';

const sql = String.raw;

/** What was made before an address was confirmed is marked, and opens no confirmed account. */
export class UnprovenCredentials extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  sql`alter table person
    add sign_up_browser bytea,
    add is_password_unproven boolean not null default false`,
  sql`alter table passkey add is_unproven boolean not null default false`,
  sql`update person set is_password_unproven = true
    where password_hash is not null and email_verified_at is null`,
  sql`update passkey k set is_unproven = true from person p
    where p.id = k.person_id
      and (p.email_verified_at is null or k.created_at < p.email_verified_at)`,
  sql`alter table person add constraint person_password_proven
    check (email_verified_at is null or not is_password_unproven)`,
];
