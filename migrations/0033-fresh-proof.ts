import { Migration } from '@mikro-orm/migrations';

const sql = String.raw;

export class FreshProof extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  // A constant default rewrites no table: who is signed in by now has proved nothing lately.
  sql`alter table session
    add column authenticated_by text not null default 'password'
      check (authenticated_by in ('password', 'passkey')),
    add column authenticated_at timestamptz(3) not null default 'epoch'`,
  sql`alter table session alter column authenticated_at set default gatehouse_now()`,
  sql`alter table person add column passkey_enrolment_until timestamptz(3)`,
  // Operators that there are by now have a week to add the passkey that they need from here on.
  sql`update person set passkey_enrolment_until = gatehouse_now() + interval '7 days'
    where is_operator`,
];
