import { Migration } from '@mikro-orm/migrations';

const sql = String.raw;

export class Foundation extends Migration {
  override up(): void {
    this.addSql(sql`
      -- Every statement that asks for the time asks here, so that a test can move it.
      create or replace function gatehouse_now() returns timestamptz language sql stable parallel safe
        as $$ select date_trunc('milliseconds', statement_timestamp()) $$`);
    for (const statement of [identity, catalog, webhooks, entitlements, selling, platform].flat()) {
      this.addSql(statement);
    }
  }
}

const created = 'created_at timestamptz(3) not null default gatehouse_now()';

const identity = [
  sql`create table person (
    id uuid primary key,
    handle text not null unique check (handle ~ '^[a-z0-9_]{3,24}$'),
    display_name text not null,
    email text not null,
    password_hash text,
    email_verified_at timestamptz(3),
    is_operator boolean not null default false,
    builder_verified_at timestamptz(3),
    ${created},
    deleted_at timestamptz(3)
  )`,
  sql`create unique index person_email on person (lower(email)) where deleted_at is null`,
  sql`create table session (
    token_hash bytea primary key,
    person_id uuid not null references person,
    ${created},
    expires_at timestamptz(3) not null
  )`,
  sql`create index session_person on session (person_id)`,
  sql`create index session_ended on session (expires_at)`,
  sql`create table pre_session (
    token_hash bytea primary key,
    return_to text,
    click_id uuid,
    ${created},
    expires_at timestamptz(3) not null
  )`,
  sql`create index pre_session_ended on pre_session (expires_at)`,
];

const catalog = [
  sql`create table product (
    id uuid primary key,
    owner_person_id uuid not null references person,
    name text not null,
    tagline text not null,
    state text not null default 'draft' check (state in ('draft', 'listed', 'unlisted', 'removed')),
    delivery text not null default 'entitlement_api'
      check (delivery in ('entitlement_api', 'external_store', 'affiliate')),
    included_with_member boolean not null default false,
    listed_at timestamptz(3),
    ${created}
  )`,
  sql`create index product_owner on product (owner_person_id)`,
  // A slug names one product for ever, and never looks like an id.
  sql`create table product_slug (
    slug text primary key check (
      slug ~ '^[a-z0-9][a-z0-9-]{1,46}[a-z0-9]$'
      and slug !~ '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'
    ),
    product_id uuid not null references product,
    is_current boolean not null default true,
    ${created}
  )`,
  sql`create unique index product_slug_current on product_slug (product_id) where is_current`,
  sql`create table payout_account (
    person_id uuid primary key references person,
    processor_account text not null unique,
    can_charge boolean not null,
    ${created}
  )`,
  sql`create table offer (
    id uuid primary key,
    product_id uuid not null references product,
    kind text not null check (kind in ('one_time', 'monthly', 'yearly')),
    is_default boolean not null default false,
    ${created},
    retired_at timestamptz(3)
  )`,
  sql`create unique index offer_default on offer (product_id) where is_default and retired_at is null`,
  sql`create table price (
    id uuid primary key,
    offer_id uuid not null references offer,
    currency char(3) not null check (currency ~ '^[A-Z]{3}$'),
    amount_minor bigint not null check (amount_minor between 1 and 999999999999),
    is_base boolean not null default false,
    ${created},
    retired_at timestamptz(3)
  )`,
  sql`create unique index price_active on price (offer_id, currency) where retired_at is null`,
  sql`create unique index price_base on price (offer_id) where is_base and retired_at is null`,
  sql`create table api_key (
    id uuid primary key,
    product_id uuid not null references product,
    key_hash bytea not null unique,
    mode text not null check (mode in ('live', 'test')),
    name text not null,
    last_four text not null,
    ${created},
    expires_at timestamptz(3),
    revoked_at timestamptz(3)
  )`,
  sql`create index api_key_product on api_key (product_id)`,
];

const webhooks = [
  sql`create table webhook_endpoint (
    id uuid primary key,
    product_id uuid not null references product,
    slot smallint not null check (slot between 1 and 10),
    url text not null check (length(url) <= 2048),
    events text[] not null,
    sealed_secret text not null,
    previous_sealed_secret text,
    previous_until timestamptz(3),
    ${created},
    disabled_at timestamptz(3),
    deleted_at timestamptz(3)
  )`,
  sql`create unique index webhook_endpoint_slot on webhook_endpoint (product_id, slot) where deleted_at is null`,
  sql`create table event (
    id uuid primary key,
    product_id uuid not null references product,
    name text not null,
    data jsonb not null,
    created_at timestamptz(3) not null
  )`,
  sql`create index event_product on event (product_id, created_at, id)`,
  sql`create table delivery (
    id text primary key,
    event_id uuid not null references event,
    endpoint_id uuid not null references webhook_endpoint,
    product_id uuid not null references product,
    event_name text not null,
    body bytea not null,
    status text not null default 'pending'
      check (status in ('pending', 'retrying', 'succeeded', 'dead', 'held', 'cancelled')),
    run integer not null default 1,
    step integer not null default 0 check (step between 0 and 5),
    due_at timestamptz(3),
    lease_token uuid,
    lease_until timestamptz(3),
    last_status_code integer,
    last_error text,
    created_at timestamptz(3) not null,
    finished_at timestamptz(3),
    unique (event_id, endpoint_id)
  )`,
  sql`create index delivery_due on delivery (due_at) where status = 'pending'`,
  sql`create index delivery_retry on delivery (due_at) where status = 'retrying'`,
  sql`create index delivery_dead on delivery (finished_at) where status = 'dead'`,
  sql`create index delivery_open on delivery (endpoint_id) where status in ('pending', 'retrying', 'held')`,
  sql`create index delivery_product on delivery (product_id, created_at, id)`,
  sql`create table attempt (
    delivery_id text not null references delivery,
    run integer not null,
    step integer not null,
    started_at timestamptz(3) not null,
    duration_ms integer not null,
    status_code integer,
    error text,
    ip text,
    body_start text,
    was_interrupted boolean not null default false,
    primary key (delivery_id, run, step)
  )`,
];

const entitlements = [
  sql`create table access_grant (
    id uuid primary key,
    product_id uuid not null references product,
    person_id uuid not null references person,
    type text not null check (type in ('purchase', 'subscription', 'complimentary')),
    source text not null,
    starts_at timestamptz(3) not null,
    ends_at timestamptz(3) check (ends_at > starts_at),
    withdrawn_at timestamptz(3),
    ${created},
    unique (product_id, person_id, source)
  )`,
  sql`create table entitlement (
    product_id uuid not null references product,
    person_id uuid not null references person,
    id uuid not null unique,
    type text check (type in ('purchase', 'subscription', 'complimentary')),
    source text,
    ends_at timestamptz(3),
    recheck_at timestamptz(3),
    announced_active boolean not null default false,
    announced_ends_at timestamptz(3),
    primary key (product_id, person_id)
  )`,
  sql`create index entitlement_person on entitlement (person_id)`,
  sql`create table membership (
    id uuid primary key,
    person_id uuid not null references person,
    status text not null check (status in ('incomplete', 'active', 'past_due', 'canceling', 'ended')),
    ends_at timestamptz(3),
    ${created}
  )`,
  sql`create unique index membership_live on membership (person_id) where status <> 'ended'`,
];

const selling = [
  sql`create table click (
    id uuid primary key,
    product_id uuid not null references product,
    source text not null,
    campaign text check (length(campaign) <= 24),
    raw text check (length(raw) <= 512),
    ${created}
  )`,
  sql`create index click_product on click (product_id, created_at, id)`,
  sql`create table checkout (
    id uuid primary key,
    person_id uuid not null references person,
    product_id uuid not null references product,
    offer_id uuid not null references offer,
    price_id uuid not null references price,
    amount_minor bigint not null check (amount_minor > 0),
    currency char(3) not null,
    status text not null default 'open'
      check (status in ('open', 'paid', 'expired', 'abandoned', 'replaced')),
    session_id text unique,
    session_url text,
    expires_at timestamptz(3) not null,
    ${created}
  )`,
  sql`create unique index checkout_open on checkout (person_id, product_id) where status = 'open'`,
  sql`create table purchase (
    id text primary key,
    checkout_id uuid not null unique references checkout,
    person_id uuid not null references person,
    product_id uuid not null references product,
    status text not null default 'pending' check (status in (
      'pending', 'clearing', 'cleared', 'failed', 'canceled', 'quarantined', 'refunded', 'charged_back'
    )),
    service_source text not null check (service_source in (
      'buy_link', 'website', 'docs', 'github', 'launch', 'email', 'social', 'api', 'store', 'other'
    )),
    service_campaign text,
    service_campaign_raw text,
    sequence bigint not null default 0,
    applied_sequence bigint not null default 0,
    ${created},
    cleared_at timestamptz(3)
  )`,
  sql`create index purchase_person on purchase (person_id, product_id)`,
  sql`create table payment (
    id text primary key,
    purchase_id text not null references purchase,
    gross_minor bigint not null check (gross_minor > 0),
    currency char(3) not null,
    cut_minor bigint not null check (cut_minor between 0 and gross_minor),
    status text not null check (status in (
      'pending', 'clearing', 'succeeded', 'partially_refunded', 'refunded', 'failed', 'canceled'
    )),
    processor_id text not null unique,
    ${created}
  )`,
  sql`create index payment_purchase on payment (purchase_id)`,
  sql`create table processor_event (
    processor text not null,
    id text not null,
    type text not null,
    purchase_id text references purchase,
    body jsonb not null,
    received_at timestamptz(3) not null default gatehouse_now(),
    handled_at timestamptz(3),
    dead_letter_reason text,
    primary key (processor, id)
  )`,
  sql`create index processor_event_open on processor_event (purchase_id) where handled_at is null`,
];

const platform = [
  sql`create table outbox (
    id bigint generated always as identity primary key,
    workflow_type text not null,
    workflow_id text not null,
    message jsonb not null,
    ${created},
    lease_until timestamptz(3),
    sent_at timestamptz(3),
    refusals integer not null default 0,
    last_error text,
    parked_at timestamptz(3)
  )`,
  sql`create index outbox_unsent on outbox (workflow_type, id) where sent_at is null and parked_at is null`,
  // Restarts with the database: a limit that forgets a minute in a crash is accepted.
  sql`create unlogged table rate_window (
    bucket text not null,
    minute bigint not null,
    n integer not null,
    primary key (bucket, minute)
  ) with (fillfactor = 50)`,
];
