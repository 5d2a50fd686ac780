import { Migration } from '@mikro-orm/migrations';

const sql = String.raw;

export class People extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const created = 'created_at timestamptz(3) not null default gatehouse_now()';

const statements = [
  sql`alter table session
    add id uuid not null unique default gen_random_uuid(),
    add last_seen_at timestamptz(3) not null default gatehouse_now(),
    add device text not null default 'Unknown device'`,
  // A mail with a link has a token: made from the id when it is sent, and kept nowhere.
  sql`create table mail_token (
    id uuid primary key,
    purpose text not null check (purpose in (
      'verify_email', 'reset_password', 'change_email',
      'known_address', 'email_changed', 'password_changed'
    )),
    person_id uuid not null references person,
    address text not null,
    ${created},
    expires_at timestamptz(3) not null,
    sent_at timestamptz(3),
    used_at timestamptz(3)
  )`,
  sql`create index mail_token_person on mail_token (person_id)`,
  sql`create index mail_token_expiry on mail_token (expires_at)`,
  sql`create table throttle (
    key text primary key,
    points integer not null,
    expire bigint not null
  )`,
  sql`create index throttle_expire on throttle (expire)`,
  sql`create table passkey (
    credential_id text primary key,
    id uuid not null unique,
    person_id uuid not null references person,
    public_key bytea not null,
    counter bigint not null,
    transports text[] not null,
    name text not null,
    ${created},
    last_used_at timestamptz(3)
  )`,
  sql`create index passkey_person on passkey (person_id)`,
  // One open ceremony for each cookie: asking again replaces the challenge.
  sql`create table passkey_challenge (
    cookie_hash bytea primary key,
    challenge text not null,
    expires_at timestamptz(3) not null
  )`,
  sql`create index passkey_challenge_expiry on passkey_challenge (expires_at)`,
];
