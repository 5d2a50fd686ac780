import { Migration } from '@mikro-orm/migrations';

const sql = String.raw;

export class NobodyLearns extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  // The handle that somebody asked for with an address that has an account: taken, and nobody's.
  sql`alter table person
    add held_until timestamptz(3),
    add first_signed_in_at timestamptz(3),
    add constraint person_held check (held_until is null or (deleted_at is not null and email = ''))`,
  sql`create index person_held on person (held_until) where held_until is not null`,
  // A mail to nobody: where an address has no account, the same rows are written as where it has one.
  sql`alter table mail_token
    drop constraint mail_token_one_recipient,
    add constraint mail_token_one_recipient check (
      num_nonnulls(person_id, invitation_id) = 1 or (address = '' and sent_at is null)
    ),
    add constraint mail_token_invitation check (
      (purpose = 'team_invitation') = (invitation_id is not null)
    ),
    add device text`,
];
