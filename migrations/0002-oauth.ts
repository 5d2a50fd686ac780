import { Migration } from '@mikro-orm/migrations';

const sql = String.raw;
const created = 'created_at timestamptz(3) not null default gatehouse_now()';

export class Oauth extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  sql`create table oauth_client (
    id text primary key,
    product_id uuid references product,
    kind text not null check (kind in ('confidential', 'public', 'native')),
    name text not null,
    sends_iss boolean not null default false,
    ${created},
    disabled_at timestamptz(3),
    deleted_at timestamptz(3)
  )`,
  sql`comment on column oauth_client.product_id is 'null for the first-party clients of the platform itself'`,
  sql`create index oauth_client_product on oauth_client (product_id)`,
  // Two slots: that is how at most two secrets live at once.
  sql`create table client_secret (
    client_id text not null references oauth_client,
    slot smallint not null check (slot in (1, 2)),
    secret_hash bytea not null,
    last_four text not null,
    ${created},
    expires_at timestamptz(3),
    primary key (client_id, slot)
  )`,
  sql`create table redirect_uri (
    client_id text not null references oauth_client,
    uri text not null check (length(uri) <= 2048),
    primary key (client_id, uri)
  )`,
  sql`create table consent (
    person_id uuid not null references person,
    client_id text not null references oauth_client,
    scopes text[] not null,
    granted_at timestamptz(3) not null,
    revoked_at timestamptz(3),
    primary key (person_id, client_id)
  )`,
  // What the consent page was opened for; the form carries its token and nothing else.
  sql`create table authorize_request (
    token_hash bytea primary key,
    person_id uuid not null references person,
    client_id text not null references oauth_client,
    redirect_uri text not null,
    scope text not null,
    state text,
    challenge text,
    ${created}
  )`,
  sql`create index authorize_request_age on authorize_request (created_at)`,
  sql`create table authorization_code (
    code_hash bytea primary key,
    client_id text not null references oauth_client,
    person_id uuid not null references person,
    redirect_uri text not null,
    scope text not null,
    challenge text,
    ${created},
    consumed_at timestamptz(3),
    token_hash bytea
  )`,
  sql`create index authorization_code_owner on authorization_code (person_id, client_id)`,
  sql`create index authorization_code_age on authorization_code (created_at)`,
  sql`create table access_token (
    token_hash bytea primary key,
    client_id text not null references oauth_client,
    person_id uuid not null references person,
    scope text not null,
    ${created},
    expires_at timestamptz(3) not null,
    revoked_at timestamptz(3)
  )`,
  sql`create index access_token_owner on access_token (person_id, client_id)`,
  sql`create index access_token_age on access_token (expires_at)`,
];
