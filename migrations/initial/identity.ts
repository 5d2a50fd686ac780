import { createdAt, sql } from './sql.ts';

const person = [
  sql`create table person (
    id uuid primary key,
    handle text not null unique check (handle ~ '^[a-z0-9_]{3,24}$'),
    display_name text not null,
    email text not null,
    password_hash text,
    -- A password that was set before the address was confirmed opens no confirmed account.
    is_password_unproven boolean not null default false,
    email_verified_at timestamptz(3),
    sign_up_browser bytea,
    first_signed_in_at timestamptz(3),
    is_operator boolean not null default false,
    passkey_enrolment_until timestamptz(3),
    builder_requested_at timestamptz(3),
    builder_verified_at timestamptz(3),
    image_name text,
    ${createdAt},
    deleted_at timestamptz(3),
    -- A sign-up with an address that has an account holds its handle until then, and belongs to nobody.
    held_until timestamptz(3),
    constraint person_password_proven check (email_verified_at is null or not is_password_unproven),
    constraint person_held check (held_until is null or (deleted_at is not null and email = ''))
  )`,
  sql`create unique index person_email on person (lower(email)) where deleted_at is null`,
  sql`create index person_waiting on person (builder_requested_at, id)
    where builder_requested_at is not null and builder_verified_at is null and deleted_at is null`,
  // Searches by the start of a handle work in every collation of the database.
  sql`create index person_handle_start on person (handle collate "C") where deleted_at is null`,
  sql`create index person_builder_start on person (handle collate "C")
    where builder_verified_at is not null and deleted_at is null`,
  sql`create index person_operator on person (id) where is_operator`,
  sql`create index person_held on person (held_until) where held_until is not null`,
  sql`create index person_unconfirmed on person (created_at)
    where email_verified_at is null and deleted_at is null`,
  // Hot statements read the row of a person, so its picture is in a table of its own.
  sql`create table person_image (
    person_id uuid primary key references person,
    bytes bytea not null
  )`,
];

const session = [
  sql`create table session (
    token_hash bytea primary key,
    id uuid not null unique default gen_random_uuid(),
    person_id uuid not null references person,
    authenticated_by text not null default 'password'
      check (authenticated_by in ('password', 'passkey')),
    authenticated_at timestamptz(3) not null default gatehouse_now(),
    device text not null default 'Unknown device',
    last_seen_at timestamptz(3) not null default gatehouse_now(),
    ${createdAt},
    expires_at timestamptz(3) not null
  )`,
  sql`create index session_person on session (person_id)`,
  sql`create index session_ended on session (expires_at)`,
  sql`create table pre_session (
    token_hash bytea primary key,
    return_to text,
    click_id uuid,
    ${createdAt},
    expires_at timestamptz(3) not null,
    constraint pre_session_is_small check (length(return_to) <= 4096)
  )`,
  sql`create index pre_session_ended on pre_session (expires_at)`,
];

const passkey = [
  sql`create table passkey (
    credential_id text primary key,
    id uuid not null unique,
    person_id uuid not null references person,
    public_key bytea not null,
    counter bigint not null,
    transports text[] not null,
    name text not null,
    is_unproven boolean not null default false,
    ${createdAt},
    last_used_at timestamptz(3)
  )`,
  sql`create index passkey_person on passkey (person_id)`,
  // A browser has one open challenge: the next one replaces it.
  sql`create table passkey_challenge (
    cookie_hash bytea primary key,
    challenge text not null,
    -- The registration that the new passkey belongs to.
    registration_id uuid,
    expires_at timestamptz(3) not null
  )`,
  sql`create index passkey_challenge_expiry on passkey_challenge (expires_at)`,
];

export const identity = [...person, ...session, ...passkey];
