import { createdAt, sql } from './sql.ts';

const client = [
  sql`create table oauth_client (
    id text primary key,
    product_id uuid references product,
    kind text not null check (kind in ('confidential', 'public', 'native')),
    name text not null,
    sends_iss boolean not null default false,
    ${createdAt},
    disabled_at timestamptz(3),
    deleted_at timestamptz(3)
  )`,
  sql`comment on column oauth_client.product_id is 'null for the first-party clients of the platform itself'`,
  sql`create index oauth_client_product on oauth_client (product_id)`,
  // Two slots allow at most two secrets of a client at once.
  sql`create table client_secret (
    client_id text not null references oauth_client,
    slot smallint not null check (slot in (1, 2)),
    secret_hash bytea not null,
    last_four text not null,
    ${createdAt},
    expires_at timestamptz(3),
    primary key (client_id, slot)
  )`,
  sql`create table redirect_uri (
    client_id text not null references oauth_client,
    uri text not null check (length(uri) <= 2048),
    primary key (client_id, uri)
  )`,
];

const authorization = [
  sql`create table consent (
    person_id uuid not null references person,
    client_id text not null references oauth_client,
    scopes text[] not null,
    granted_at timestamptz(3) not null,
    revoked_at timestamptz(3),
    primary key (person_id, client_id)
  )`,
  // The form of the consent page carries the token of this row and nothing else. An answered row stays for a
  // moment: browsers send a form twice and follow the last response.
  sql`create table authorize_request (
    token_hash bytea primary key,
    person_id uuid not null references person,
    client_id text not null references oauth_client,
    redirect_uri text not null,
    scope text not null,
    state text,
    challenge text,
    decision text check (decision in ('allow', 'deny')),
    ${createdAt},
    settled_at timestamptz(3),
    settled_by bytea
  )`,
  sql`create index authorize_request_age on authorize_request (created_at)`,
  // A code is inserted once and updated once: with free space in its page the update writes no index.
  sql`create table authorization_code (
    code_hash bytea primary key,
    client_id text not null references oauth_client,
    person_id uuid not null references person,
    redirect_uri text not null,
    scope text not null,
    challenge text,
    ${createdAt},
    consumed_at timestamptz(3),
    token_hash bytea
  ) with (fillfactor = 50)`,
  sql`create index authorization_code_owner on authorization_code (person_id, client_id)`,
  sql`create index authorization_code_age on authorization_code (created_at)`,
  // A token is issued under the lock of a consent, which refers to both client and person. Foreign keys of
  // the token would lock the row of a busy client at every exchange.
  sql`create table access_token (
    token_hash bytea primary key,
    client_id text not null,
    person_id uuid not null,
    scope text not null,
    ${createdAt},
    expires_at timestamptz(3) not null,
    revoked_at timestamptz(3)
  )`,
  sql`create index access_token_owner on access_token (person_id, client_id)`,
  sql`create index access_token_age on access_token (expires_at)`,
];

export const oauth = [...client, ...authorization];
