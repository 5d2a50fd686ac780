import { Migration } from '@mikro-orm/migrations';

const sql = String.raw;

export class Invitations extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  // A mail goes to a person, or to an address that was invited and may have no account.
  sql`alter table mail_token
    alter person_id drop not null,
    add invitation_id uuid references team_invitation on delete cascade,
    drop constraint mail_token_purpose_check,
    add constraint mail_token_purpose_check check (purpose in (
      'verify_email', 'reset_password', 'change_email',
      'known_address', 'email_changed', 'password_changed', 'team_invitation'
    )),
    add constraint mail_token_one_recipient check (
      num_nonnulls(person_id, invitation_id) = 1
      and (purpose = 'team_invitation') = (invitation_id is not null)
    )`,
  sql`create index mail_token_invitation on mail_token (invitation_id)
    where invitation_id is not null`,
  sql`create index team_invitation_over on team_invitation (expires_at)`,
  sql`create index team_invitation_address on team_invitation (lower(address))`,
];
