import { createdAt, sql } from './sql.ts';

const product = [
  sql`create table product (
    id uuid primary key,
    owner_person_id uuid references person,
    owner_team_id uuid references team,
    -- The person who is responsible for the sales.
    commercial_operator_id uuid references person,
    name text not null,
    tagline text not null,
    state text not null default 'draft' check (state in ('draft', 'listed', 'unlisted', 'removed')),
    delivery text not null default 'entitlement_api'
      check (delivery in ('entitlement_api', 'external_store', 'affiliate')),
    included_with_member boolean not null default false,
    listed_at timestamptz(3),
    ${createdAt},
    settled_at timestamptz(3),
    constraint product_one_owner check (num_nonnulls(owner_person_id, owner_team_id) = 1),
    -- Member opens products that Gatehouse sells and checks.
    constraint product_included check (not included_with_member or delivery = 'entitlement_api')
  )`,
  sql`create index product_owner on product (owner_person_id)`,
  sql`create index product_owner_team on product (owner_team_id)`,
  sql`create index product_removed on product (id, settled_at) where state = 'removed'`,
  sql`create index product_included on product (listed_at desc, id) where included_with_member`,
  // A slug names one product for ever and never has the shape of an id.
  sql`create table product_slug (
    slug text primary key check (
      slug ~ '^[a-z0-9][a-z0-9-]{1,46}[a-z0-9]$'
      and slug !~ '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'
    ),
    product_id uuid not null references product,
    is_current boolean not null default true,
    ${createdAt}
  )`,
  sql`create unique index product_slug_current on product_slug (product_id) where is_current`,
  sql`create index product_slug_start on product_slug (slug collate "C") where is_current`,
  sql`create index product_slug_product on product_slug (product_id)`,
  sql`create table payout_account (
    id uuid primary key default gen_random_uuid(),
    person_id uuid unique references person,
    team_id uuid unique references team,
    processor_account text not null unique,
    can_charge boolean not null,
    is_submitted boolean not null default false,
    ${createdAt},
    checked_at timestamptz(3),
    constraint payout_account_one_owner check (num_nonnulls(person_id, team_id) = 1)
  )`,
  sql`create table api_key (
    id uuid primary key,
    product_id uuid not null references product,
    key_hash bytea not null unique,
    mode text not null check (mode in ('live', 'test')),
    name text not null,
    last_four text not null,
    ${createdAt},
    last_used_at timestamptz(3),
    expires_at timestamptz(3),
    revoked_at timestamptz(3)
  )`,
  sql`create index api_key_product on api_key (product_id)`,
];

const price = [
  sql`create table enabled_currency (
    currency char(3) primary key check (currency ~ '^[A-Z]{3}$'),
    enabled_at timestamptz(3) not null default gatehouse_now()
  )`,
  sql`insert into enabled_currency (currency) values ('USD'), ('BRL'), ('EUR'), ('GBP')`,
  sql`create table offer (
    id uuid primary key,
    product_id uuid not null references product,
    kind text not null check (kind in ('one_time', 'monthly', 'yearly')),
    is_default boolean not null default false,
    ${createdAt},
    retired_at timestamptz(3)
  )`,
  sql`create unique index offer_default on offer (product_id) where is_default and retired_at is null`,
  sql`create index offer_product on offer (product_id)`,
  sql`create index offer_of_product on offer (product_id) where retired_at is null`,
  sql`create table price (
    id uuid primary key,
    offer_id uuid not null references offer,
    currency char(3) not null check (currency ~ '^[A-Z]{3}$'),
    amount_minor bigint not null check (amount_minor between 1 and 999999999999),
    is_base boolean not null default false,
    ${createdAt},
    retired_at timestamptz(3)
  )`,
  sql`create unique index price_active on price (offer_id, currency) where retired_at is null`,
  sql`create unique index price_base on price (offer_id) where is_base and retired_at is null`,
  sql`create index price_offer on price (offer_id, created_at, id)`,
  // A price is retired once; its other columns were agreed with buyers.
  sql`create function keep_price() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' and old.retired_at is null
        and to_jsonb(new) - 'retired_at' = to_jsonb(old) - 'retired_at' then
        return new;
      end if;
      raise exception 'prices are never edited or removed' using errcode = 'restrict_violation';
    end $$`,
  sql`create trigger price_is_kept before update or delete on price
    for each row execute function keep_price()`,
];

export const catalog = [...product, ...price];
