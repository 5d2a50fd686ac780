// The tables of the entities, as `npm run orm -- schema:create --dump` says them.
import { sql } from './sql.ts';

export const tables = [
  sql`create table access_token (
    token_hash bytea not null,
    client_id text not null,
    person_id uuid not null,
    scope text not null,
    created_at timestamptz(3) not null default gatehouse_now(),
    expires_at timestamptz(3) not null,
    revoked_at timestamptz(3) null,
    primary key (token_hash)
  )`,
  sql`create index access_token_age on access_token (expires_at)`,
  sql`create index access_token_owner on access_token (person_id, client_id)`,
  sql`create table api_request (
    id uuid not null,
    product_id uuid not null,
    api_key_id uuid null,
    client_id text null,
    route text not null,
    status smallint not null,
    error_code text null,
    param text null,
    is_own_team boolean not null default false,
    request_id text not null,
    created_at timestamptz(3) not null,
    primary key (id)
  ) partition by range (id)`,
  sql`create index api_request_product on api_request (product_id, id)`,
  sql`create index api_request_request on api_request using hash (request_id)`,
  sql`create table attempt (
    delivery_id text collate "C" not null,
    run int not null,
    step int not null,
    started_at timestamptz(3) not null,
    duration_ms int not null,
    status_code int null,
    error text null,
    ip text null,
    body_start text null,
    was_interrupted boolean not null default false,
    signature text null,
    previous_signature text null,
    cohort text null,
    primary key (delivery_id, run, step)
  ) partition by range (delivery_id)`,
  sql`alter table attempt
    add constraint attempt_error_check
    check (error in ('dns', 'refused', 'reset', 'tls', 'timeout', 'policy', 'http_status', 'signing'))`,
  sql`create table check_batch (
    id bigserial primary key,
    "day" date not null,
    product_ids uuid[] not null,
    person_ids uuid[] not null,
    are_known boolean[] not null,
    checks integer[] not null,
    open_checks integer[] not null
  )`,
  sql`create table check_count (
    product_id uuid not null,
    "day" date not null,
    person_id uuid not null,
    checks int not null default 0,
    primary key (product_id, "day", person_id)
  )`,
  sql`create table check_day (
    product_id uuid not null,
    "day" date not null,
    checks int not null,
    open_checks int not null,
    primary key (product_id, "day")
  )`,
  sql`create table delivery_lease (
    endpoint_id uuid not null,
    delivery_id text collate "C" not null,
    owner_id uuid not null,
    token uuid not null,
    "until" timestamptz(3) not null,
    is_retry boolean not null default false,
    primary key (endpoint_id, delivery_id)
  )`,
  sql`create index delivery_lease_owner on delivery_lease (owner_id)`,
  sql`create table enabled_currency (
    currency char(3) not null,
    enabled_at timestamptz(3) not null default gatehouse_now(),
    primary key (currency)
  )`,
  sql`alter table enabled_currency
    add constraint enabled_currency_currency_check
    check (currency ~ '^[A-Z]{3}$')`,
  sql`create table ledger_check (
    id bigserial primary key,
    "at" timestamptz(3) not null default gatehouse_now(),
    unbalanced jsonb not null
  )`,
  sql`create table outbox (
    id bigserial primary key,
    workflow_type text not null,
    workflow_id text not null,
    input jsonb not null,
    priority int not null,
    fairness_key text null,
    message jsonb not null,
    created_at timestamptz(3) not null default gatehouse_now(),
    lease_until timestamptz(3) null,
    sent_at timestamptz(3) null,
    refusals int not null default 0,
    last_error text null,
    dead_lettered_at timestamptz(3) null
  )`,
  sql`create index outbox_dead_lettered on outbox (dead_lettered_at) where dead_lettered_at is not null`,
  sql`create index outbox_unsent on outbox (priority, id)
    where sent_at is null and dead_lettered_at is null`,
  sql`alter table outbox add constraint outbox_priority_check check (priority >= 1 and priority <= 5)`,
  sql`create table passkey_challenge (
    cookie_hash bytea not null,
    challenge text not null,
    registration_id uuid null,
    expires_at timestamptz(3) not null,
    primary key (cookie_hash)
  )`,
  sql`create index passkey_challenge_expiry on passkey_challenge (expires_at)`,
  sql`create table person (
    id uuid not null,
    handle text not null,
    display_name text not null,
    image_name text null,
    email text not null,
    password_hash text null,
    email_verified_at timestamptz(3) null,
    sign_up_browser bytea null,
    is_password_unproven boolean not null default false,
    is_operator boolean not null default false,
    passkey_enrolment_until timestamptz(3) null,
    builder_requested_at timestamptz(3) null,
    builder_verified_at timestamptz(3) null,
    builder_revoked_at timestamptz(3) null,
    builder_declined_for text null,
    created_at timestamptz(3) not null default gatehouse_now(),
    first_signed_in_at timestamptz(3) null,
    deleted_at timestamptz(3) null,
    held_until timestamptz(3) null,
    primary key (id)
  )`,
  sql`alter table person add constraint person_handle_unique unique (handle)`,
  sql`create index person_builder_start on person (handle collate "C")
    where builder_verified_at is not null and deleted_at is null`,
  sql`create index person_handle_start on person (handle collate "C") where deleted_at is null`,
  sql`create index person_deleted on person (deleted_at) where deleted_at is not null`,
  sql`create index person_held on person (held_until) where held_until is not null`,
  sql`create index person_operator on person (id) where is_operator`,
  sql`create index person_sign_up on person (lower(email))
    where deleted_at is null and sign_up_browser is not null`,
  sql`create index person_unconfirmed on person (created_at)
    where email_verified_at is null and deleted_at is null`,
  sql`create index person_waiting on person (builder_requested_at, id)
    where builder_requested_at is not null and builder_verified_at is null and deleted_at is null`,
  sql`create unique index person_email on person (lower(email))
    where deleted_at is null and sign_up_browser is null`,
  sql`alter table person add constraint person_handle_check check (handle ~ '^[a-z0-9_]{3,24}$')`,
  sql`alter table person
    add constraint person_declined_for
    check (length(builder_declined_for) <= 500)`,
  sql`alter table person
    add constraint person_revoked
    check (builder_revoked_at is null or builder_verified_at is null)`,
  sql`alter table person
    add constraint person_password_proven
    check (email_verified_at is null or not is_password_unproven)`,
  sql`alter table person
    add constraint person_held
    check (held_until is null or deleted_at is not null and email = '')`,
  sql`create table passkey (
    credential_id text not null,
    id uuid not null,
    person_id uuid not null,
    public_key bytea not null,
    counter bigint not null,
    transports text[] not null,
    name text not null,
    is_unproven boolean not null default false,
    created_at timestamptz(3) not null default gatehouse_now(),
    last_used_at timestamptz(3) null,
    primary key (credential_id)
  )`,
  sql`alter table passkey add constraint passkey_id_unique unique (id)`,
  sql`create index passkey_person on passkey (person_id)`,
  sql`create table member_price (
    id uuid not null,
    currency char(3) not null,
    billing_interval text not null,
    amount_minor bigint not null,
    set_by uuid null,
    created_at timestamptz(3) not null default gatehouse_now(),
    retired_at timestamptz(3) null,
    primary key (id)
  )`,
  sql`create unique index member_price_active on member_price (currency, billing_interval)
    where retired_at is null`,
  sql`alter table member_price add constraint member_price_amount_minor_check check (amount_minor > 0)`,
  sql`alter table member_price
    add constraint member_price_billing_interval_check
    check (billing_interval in ('month', 'year'))`,
  sql`create table membership (
    id uuid not null,
    person_id uuid not null,
    status text not null default 'incomplete',
    ends_at timestamptz(3) null,
    withdrawn_at timestamptz(3) null,
    price_id uuid null,
    amount_minor bigint null,
    currency char(3) null,
    billing_interval text null,
    session_id text null,
    session_url text null,
    session_expires_at timestamptz(3) not null default (gatehouse_now() + '24:00:00'::interval),
    processor_id text null,
    period_start timestamptz(3) null,
    period_end timestamptz(3) null,
    past_due_at timestamptz(3) null,
    grace_ends_at timestamptz(3) null,
    cancel_at timestamptz(3) null,
    ended_at timestamptz(3) null,
    requested_change text null,
    change_number int not null default 0,
    seen_updates text[] not null default '{}',
    is_closing boolean not null default false,
    failure_notified_at timestamptz(3) null,
    reminded_of timestamptz(3) null,
    sequence bigint not null default '0',
    applied_sequence bigint not null default '0',
    ask_again_at timestamptz(3) null,
    created_at timestamptz(3) not null default gatehouse_now(),
    primary key (id)
  )`,
  sql`alter table membership add constraint membership_processor_id_unique unique (processor_id)`,
  sql`create index membership_ask_again on membership (ask_again_at, id) where ask_again_at is not null`,
  sql`create index membership_person on membership (person_id)`,
  sql`create unique index membership_live on membership (person_id)
    where status in ('active', 'past_due', 'canceling')`,
  sql`create unique index membership_open on membership (person_id) where status = 'incomplete'`,
  sql`alter table membership add constraint membership_amount_minor_check check (amount_minor > 0)`,
  sql`alter table membership
    add constraint membership_terms
    check (num_nonnulls(price_id, amount_minor, currency, billing_interval) in (0, 4) and (processor_id is null or price_id is not null))`,
  sql`alter table membership
    add constraint membership_status_check
    check (status in ('incomplete', 'active', 'past_due', 'canceling', 'ended'))`,
  sql`alter table membership
    add constraint membership_billing_interval_check
    check (billing_interval in ('month', 'year'))`,
  sql`alter table membership
    add constraint membership_requested_change_check
    check (requested_change in ('cancel', 'resume'))`,
  sql`create table membership_change (
    id bigserial primary key,
    membership_id uuid not null,
    reason text not null,
    notified_through uuid null,
    notified_at timestamptz(3) null,
    created_at timestamptz(3) not null default gatehouse_now()
  )`,
  sql`create index membership_change_unnotified on membership_change (membership_id, id)
    where notified_at is null`,
  sql`alter table membership_change
    add constraint membership_change_reason_check
    check (reason in ('granted', 'cancelled', 'resumed', 'renewed', 'elapsed', 'withdrawn', 'refunded'))`,
  sql`create table mail_token (
    id uuid not null,
    purpose text not null,
    person_id uuid null,
    invitation_id uuid null,
    purchase_id text null,
    payment_id text null,
    subject text null,
    facts jsonb null,
    address text not null,
    device text null,
    created_at timestamptz(3) not null default gatehouse_now(),
    expires_at timestamptz(3) not null,
    queued_at timestamptz(3) null,
    sent_at timestamptz(3) null,
    used_at timestamptz(3) null,
    primary key (id)
  )`,
  sql`create index mail_token_digest on mail_token (subject) where purpose = 'sales_of_day' and facts is null`,
  sql`create index mail_token_expiry on mail_token (expires_at)`,
  sql`create index mail_token_invitation on mail_token (invitation_id) where invitation_id is not null`,
  sql`create index mail_token_person on mail_token (person_id)`,
  sql`create index mail_token_queued on mail_token (queued_at) where queued_at is not null`,
  sql`create unique index mail_token_payment on mail_token (payment_id) where payment_id is not null`,
  sql`create unique index mail_token_purchase on mail_token (purchase_id) where purchase_id is not null`,
  sql`create unique index mail_token_subject on mail_token (person_id, purpose, subject) where subject is not null`,
  sql`alter table mail_token add constraint mail_token_purpose_check check (purpose ~ '^[a-z]+(_[a-z]+)*$')`,
  sql`alter table mail_token
    add constraint mail_token_one_recipient
    check (num_nonnulls(person_id, invitation_id) = 1 or address = '' and sent_at is null)`,
  sql`alter table mail_token
    add constraint mail_token_invitation
    check ((purpose = 'team_invitation') = (invitation_id is not null))`,
  sql`alter table mail_token
    add constraint mail_token_receipt
    check ((purpose = 'purchase_receipt') = (purchase_id is not null))`,
  sql`alter table mail_token
    add constraint mail_token_charge_receipt
    check ((purpose = 'charge_receipt') = (payment_id is not null))`,
  sql`create table alert (
    id uuid not null,
    kind text not null,
    subject text not null,
    detail jsonb not null default '{}',
    times int not null default 1,
    raised_at timestamptz(3) not null default gatehouse_now(),
    last_raised_at timestamptz(3) not null default gatehouse_now(),
    mailed_at timestamptz(3) null,
    resolved_at timestamptz(3) null,
    resolved_by uuid null,
    primary key (id)
  )`,
  sql`create index alert_mailed on alert (mailed_at) where mailed_at is not null`,
  sql`create unique index alert_open on alert (kind, subject) where resolved_at is null`,
  sql`alter table alert add constraint alert_kind_check check (kind ~ '^[a-z]+(_[a-z]+)*$')`,
  sql`alter table alert add constraint alert_times_check check (times > 0)`,
  sql`alter table alert add constraint alert_resolved check (resolved_by is null or resolved_at is not null)`,
  sql`create table person_image (
    person_id uuid not null,
    bytes bytea not null,
    primary key (person_id)
  )`,
  sql`create table platform_fee (
    id bigserial primary key,
    basis_points int not null,
    since timestamptz(3) not null default gatehouse_now(),
    set_by uuid null
  )`,
  sql`alter table platform_fee
    add constraint platform_fee_basis_points_check
    check (basis_points >= 0 and basis_points <= 10000)`,
  sql`create table pre_session (
    token_hash bytea not null,
    return_to text null,
    click_id uuid null,
    created_at timestamptz(3) not null default gatehouse_now(),
    expires_at timestamptz(3) not null,
    primary key (token_hash)
  )`,
  sql`create index pre_session_ended on pre_session (expires_at)`,
  sql`alter table pre_session add constraint pre_session_is_small check (length(return_to) <= 4096)`,
  sql`create table processor_event_body (
    id uuid not null,
    body jsonb not null,
    primary key (id)
  ) partition by range (id)`,
  sql`create table processor_mark (
    processor text not null,
    "list" text not null,
    seen_until timestamptz(3) not null,
    primary key (processor, "list")
  )`,
  sql`create table rate_window (
    bucket text not null,
    minute bigint not null,
    n int not null,
    slot smallint not null,
    primary key (bucket, minute, slot)
  ) partition by list (slot)`,
  sql`create table request_quota (
    product_id uuid not null,
    "day" int not null,
    successes int not null default 0,
    refusals int not null default 0,
    primary key (product_id)
  )`,
  sql`create table session (
    token_hash bytea not null,
    id uuid not null default gen_random_uuid(),
    person_id uuid not null,
    created_at timestamptz(3) not null default gatehouse_now(),
    last_seen_at timestamptz(3) not null default gatehouse_now(),
    device text not null default 'Unknown device',
    authenticated_by text not null default 'password',
    authenticated_at timestamptz(3) not null default gatehouse_now(),
    expires_at timestamptz(3) not null,
    primary key (token_hash)
  )`,
  sql`alter table session add constraint session_id_unique unique (id)`,
  sql`create index session_ended on session (expires_at)`,
  sql`create index session_person on session (person_id)`,
  sql`alter table session
    add constraint session_authenticated_by_check
    check (authenticated_by in ('password', 'passkey'))`,
  sql`create table sign_in_address (
    person_id uuid not null,
    address text not null,
    last_at timestamptz(3) not null default gatehouse_now(),
    primary key (person_id, address)
  )`,
  sql`create index sign_in_address_address on sign_in_address (address)`,
  sql`create index sign_in_address_last on sign_in_address (last_at)`,
  sql`create table team (
    id uuid not null,
    name text not null,
    created_at timestamptz(3) not null default gatehouse_now(),
    deleted_at timestamptz(3) null,
    primary key (id)
  )`,
  sql`alter table team add constraint team_name_check check (length(name) >= 1 and length(name) <= 80)`,
  sql`create table product (
    id uuid not null,
    owner_person_id uuid null,
    owner_team_id uuid null,
    name text not null,
    tagline text not null,
    state text not null default 'draft',
    delivery text not null default 'entitlement_api',
    included_with_member boolean not null default false,
    website_url text null,
    sign_in_url text null,
    refund_terms text null,
    listed_at timestamptz(3) null,
    is_unlisted_by_operator boolean not null default false,
    commercial_operator_id uuid null,
    settled_at timestamptz(3) null,
    created_at timestamptz(3) not null default gatehouse_now(),
    primary key (id)
  )`,
  sql`create index product_included on product (listed_at DESC, id) where included_with_member`,
  sql`create index product_listed on product (listed_at DESC, id) where state = 'listed'`,
  sql`create index product_name_start on product (lower(name) collate "C")`,
  sql`create index product_owner on product (owner_person_id)`,
  sql`create index product_owner_team on product (owner_team_id)`,
  sql`create index product_removed on product (id, settled_at) where state = 'removed'`,
  sql`alter table product
    add constraint product_one_owner
    check (num_nonnulls(owner_person_id, owner_team_id) = 1)`,
  sql`alter table product
    add constraint product_website_url_check
    check (website_url ~ '^https?://' and length(website_url) <= 2048)`,
  sql`alter table product
    add constraint product_sign_in_url_check
    check (sign_in_url ~ '^https?://' and length(sign_in_url) <= 2048)`,
  sql`alter table product
    add constraint product_refund_terms_check
    check (length(refund_terms) >= 1 and length(refund_terms) <= 2000)`,
  sql`alter table product
    add constraint product_included
    check (not
    included_with_member or delivery = 'entitlement_api')`,
  sql`alter table product
    add constraint product_unlisted_by_operator
    check (not is_unlisted_by_operator or state in ('unlisted', 'removed'))`,
  sql`alter table product
    add constraint product_state_check
    check (state in ('draft', 'listed', 'unlisted', 'removed'))`,
  sql`alter table product
    add constraint product_delivery_check
    check (delivery in ('entitlement_api', 'external_store', 'affiliate'))`,
  sql`create table listing (
    product_id uuid not null,
    description text null,
    description_html text null,
    category text null,
    platforms text[] not null default '{}',
    tags text[] not null default '{}',
    docs_url text null,
    support_url text null,
    source_url text null,
    changelog_url text null,
    support_address text null,
    version integer not null default 1,
    changed_at timestamptz(3) not null default gatehouse_now(),
    primary key (product_id)
  )`,
  sql`alter table listing
    add constraint listing_description_check
    check (length(description) <= 20000 and octet_length(description) <= 32768)`,
  sql`alter table listing
    add constraint listing_description_rendered
    check ((description is null) = (description_html is null))`,
  sql`alter table listing
    add constraint listing_platforms_check
    check (cardinality(platforms) <= 8)`,
  sql`alter table listing
    add constraint listing_tags_check
    check (cardinality(tags) <= 12)`,
  sql`alter table listing
    add constraint listing_docs_url_check
    check (docs_url ~ '^https?://' and length(docs_url) <= 2048)`,
  sql`alter table listing
    add constraint listing_support_url_check
    check (support_url ~ '^https?://' and length(support_url) <= 2048)`,
  sql`alter table listing
    add constraint listing_source_url_check
    check (source_url ~ '^https?://' and length(source_url) <= 2048)`,
  sql`alter table listing
    add constraint listing_changelog_url_check
    check (changelog_url ~ '^https?://' and length(changelog_url) <= 2048)`,
  sql`alter table listing
    add constraint listing_support_address_check
    check (length(support_address) <= 2048)`,
  sql`alter table listing
    add constraint listing_version_check
    check (version >= 1)`,
  sql`alter table listing
    add constraint listing_category_check
    check (category in ('ai', 'business', 'communication', 'design', 'developer-tools',
      'education', 'finance', 'games', 'health', 'media', 'news', 'productivity', 'security',
      'utilities'))`,
  sql`create table release (
    id uuid not null,
    product_id uuid not null,
    version text not null,
    published_at timestamptz(3) null,
    notes text null,
    notes_html text null,
    source text not null,
    created_at timestamptz(3) not null default gatehouse_now(),
    primary key (id)
  )`,
  sql`alter table release add constraint release_version unique (product_id, version)`,
  sql`alter table release
    add constraint release_version_check
    check (length(version) >= 1 and length(version) <= 40)`,
  sql`alter table release
    add constraint release_notes_check
    check (length(notes) <= 4000)`,
  sql`alter table release
    add constraint release_notes_rendered
    check ((notes is null) = (notes_html is null))`,
  sql`alter table release
    add constraint release_source_check
    check (source in ('hand', 'import'))`,
  sql`create table chosen_shelf (
    place smallint not null,
    title text not null,
    product_ids uuid[] not null,
    changed_at timestamptz(3) not null default gatehouse_now(),
    primary key (place)
  )`,
  sql`alter table chosen_shelf
    add constraint chosen_shelf_place_check
    check (place >= 1 and place <= 2)`,
  sql`alter table chosen_shelf
    add constraint chosen_shelf_title_check
    check (length(title) >= 1 and length(title) <= 60)`,
  sql`alter table chosen_shelf
    add constraint chosen_shelf_product_ids_check
    check (cardinality(product_ids) >= 1 and cardinality(product_ids) <= 12)`,
  sql`create table product_search (
    product_id uuid not null,
    name text not null,
    name_words tsvector not null,
    line_words tsvector not null,
    words tsvector not null,
    category text null,
    platforms text[] not null,
    is_included boolean not null,
    is_sealed boolean not null,
    popularity smallint not null default 0,
    listed_at timestamptz(3) not null,
    primary key (product_id)
  )`,
  sql`create index product_search_name on product_search (name)`,
  sql`create index product_search_similar on product_search using gist (name gist_trgm_ops(siglen = 64))`,
  sql`create index product_search_name_words on product_search using gin (name_words)`,
  sql`create index product_search_line_words on product_search using gin (line_words)`,
  sql`create index product_search_words on product_search using gin (words)`,
  sql`create index product_search_popular
    on product_search (popularity desc, listed_at desc, product_id)`,
  sql`create index product_search_category
    on product_search (category, popularity desc, listed_at desc, product_id)`,
  sql`create index product_search_new on product_search (listed_at desc, product_id)`,
  sql`alter table product_search
    add constraint product_search_category_check
    check (category in ('ai', 'business', 'communication', 'design', 'developer-tools',
      'education', 'finance', 'games', 'health', 'media', 'news', 'productivity', 'security',
      'utilities'))`,
  sql`create table listing_import (
    id uuid not null,
    product_id uuid not null,
    kind text not null,
    address text not null,
    state text not null default 'queued',
    wait_until timestamptz(3) null,
    waits int not null default 0,
    refusal text null,
    findings jsonb null,
    applied_by uuid null,
    pictures jsonb null,
    created_at timestamptz(3) not null default gatehouse_now(),
    changed_at timestamptz(3) not null default gatehouse_now(),
    primary key (id)
  )`,
  sql`create index listing_import_product on listing_import (product_id, created_at, id)`,
  sql`create index listing_import_over on listing_import (changed_at)
    where state in ('ready', 'refused', 'applied', 'expired')`,
  sql`create index listing_import_open on listing_import (changed_at)
    where state in ('queued', 'fetching', 'waiting', 'applying')`,
  sql`alter table listing_import
    add constraint listing_import_address_check
    check (length(address) >= 1 and length(address) <= 2048)`,
  sql`alter table listing_import
    add constraint listing_import_waiting
    check ((state = 'waiting') = (wait_until is not null))`,
  sql`alter table listing_import
    add constraint listing_import_refused
    check ((state = 'refused') = (refusal is not null))`,
  sql`alter table listing_import
    add constraint listing_import_found
    check ((state in ('ready', 'applying', 'applied')) = (findings is not null))`,
  sql`alter table listing_import
    add constraint listing_import_findings_check
    check (octet_length(findings::text) <= 65536)`,
  sql`alter table listing_import
    add constraint listing_import_taken
    check ((state in ('applying', 'applied')) = (pictures is not null))`,
  sql`alter table listing_import
    add constraint listing_import_applied
    check ((pictures is null) = (applied_by is null))`,
  sql`alter table listing_import
    add constraint listing_import_pictures_check
    check (octet_length(pictures::text) <= 65536)`,
  sql`alter table listing_import
    add constraint listing_import_kind_check
    check (kind in ('page', 'repository'))`,
  sql`alter table listing_import
    add constraint listing_import_state_check
    check (state in ('queued', 'fetching', 'waiting', 'ready', 'refused', 'applying', 'applied',
      'expired'))`,
  sql`alter table listing_import
    add constraint listing_import_refusal_check
    check (refusal in ('address_refused', 'unreachable', 'tls_failed', 'timed_out',
      'bad_redirect', 'redirect_loop', 'too_many_redirects', 'wrong_type', 'unreadable_body',
      'not_found', 'too_large', 'forge_busy'))`,
  sql`create table upstream_quota (
    host text not null,
    used int not null,
    resets_at timestamptz(3) not null,
    primary key (host)
  )`,
  sql`alter table upstream_quota
    add constraint upstream_quota_used_check
    check (used >= 0 and used <= 60)`,
  sql`create table product_figure (
    product_id uuid not null,
    "day" date not null,
    kind text not null,
    currency character(3) not null,
    count bigint not null,
    sum_minor bigint not null,
    primary key (product_id, "day", kind, currency)
  )`,
  sql`create index product_figure_day on product_figure ("day")`,
  sql`alter table product_figure
    add constraint product_figure_kind_check
    check (kind in ('sales', 'refunds', 'customers', 'checks_open', 'checks_locked',
      'deliveries_accepted', 'deliveries_retried', 'deliveries_failing'))`,
  sql`alter table product_figure
    add constraint product_figure_currency
    check ((kind in ('sales', 'refunds')) = (currency <> 'XXX'))`,
  sql`create table product_slug (
    slug text not null,
    product_id uuid not null,
    is_current boolean not null default true,
    created_at timestamptz(3) not null default gatehouse_now(),
    primary key (slug)
  )`,
  sql`create index product_slug_product on product_slug (product_id)`,
  sql`create index product_slug_start on product_slug (slug collate "C") where is_current`,
  sql`create unique index product_slug_current on product_slug (product_id) where is_current`,
  sql`alter table product_slug
    add constraint product_slug_slug_check
    check (slug ~ '^[a-z0-9][a-z0-9-]{1,46}[a-z0-9]$' and slug !~ '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$')`,
  sql`create table image (
    hash text not null,
    width smallint not null,
    bytes bytea null,
    other_hash text not null,
    remove_after timestamptz(3) null,
    taken_down_at timestamptz(3) null,
    primary key (hash, width)
  )`,
  sql`create index image_unused on image (remove_after) where remove_after is not null`,
  sql`alter table image add constraint image_hash_check check (hash ~ '^[0-9a-f]{32}$')`,
  sql`alter table image
    add constraint image_other_hash_check
    check (other_hash ~ '^[0-9a-f]{32}$')`,
  sql`alter table image add constraint image_width_check check (width in (1600, 1200, 640, 256))`,
  sql`alter table image
    add constraint image_taken_down
    check ((bytes is null) = (taken_down_at is not null))`,
  sql`alter table image
    add constraint image_taken_down_for_good
    check (num_nonnulls(remove_after, taken_down_at) < 2)`,
  sql`create table product_image (
    product_id uuid not null,
    "position" smallint not null,
    kind text not null,
    hash text not null,
    alt text not null,
    primary key (product_id, "position")
  )`,
  sql`alter table product_image
    add constraint product_image_hash unique (hash, product_id)`,
  sql`alter table product_image
    add constraint product_image_position_check
    check ("position" >= 0 and "position" <= 8)`,
  sql`alter table product_image
    add constraint product_image_kind
    check ((kind = 'icon') = ("position" = 0))`,
  sql`alter table product_image
    add constraint product_image_hash_check
    check (hash ~ '^[0-9a-f]{32}$')`,
  sql`alter table product_image
    add constraint product_image_alt_check
    check (length(alt) <= 200)`,
  sql`alter table product_image
    add constraint product_image_kind_check
    check (kind in ('icon', 'screenshot'))`,
  sql`alter table product_image
    add constraint product_image_product_id_foreign
    foreign key (product_id) references product (id) on update no action on delete no action`,
  sql`create table offer (
    id uuid not null,
    product_id uuid not null,
    kind text not null,
    is_default boolean not null default false,
    created_at timestamptz(3) not null default gatehouse_now(),
    retired_at timestamptz(3) null,
    primary key (id)
  )`,
  sql`create index offer_of_product on offer (product_id) where retired_at is null`,
  sql`create index offer_product on offer (product_id)`,
  sql`create unique index offer_default on offer (product_id) where is_default and retired_at is null`,
  sql`alter table offer add constraint offer_kind_check check (kind in ('one_time', 'monthly', 'yearly'))`,
  sql`create table price (
    id uuid not null,
    offer_id uuid not null,
    currency char(3) not null,
    amount_minor bigint not null,
    is_base boolean not null default false,
    created_at timestamptz(3) not null default gatehouse_now(),
    retired_at timestamptz(3) null,
    primary key (id)
  )`,
  sql`create index price_offer on price (offer_id, created_at, id)`,
  sql`create unique index price_active on price (offer_id, currency) where retired_at is null`,
  sql`create unique index price_base on price (offer_id) where is_base and retired_at is null`,
  sql`alter table price add constraint price_currency_check check (currency ~ '^[A-Z]{3}$')`,
  sql`alter table price
    add constraint price_amount_minor_check
    check (amount_minor >= 1 and amount_minor <= 999999999999)`,
  sql`create table oauth_client (
    id text not null,
    product_id uuid null,
    kind text not null,
    name text not null,
    sends_iss boolean not null default false,
    created_at timestamptz(3) not null default gatehouse_now(),
    disabled_at timestamptz(3) null,
    deleted_at timestamptz(3) null,
    consents_ended_at timestamptz(3) null,
    primary key (id)
  )`,
  sql`create index oauth_client_product on oauth_client (product_id)`,
  sql`create index oauth_client_deleted on oauth_client (id)
    where deleted_at is not null and consents_ended_at is null`,
  sql`alter table oauth_client
    add constraint oauth_client_kind_check
    check (kind in ('confidential', 'public', 'native'))`,
  sql`create table redirect_uri (
    client_id text not null,
    uri text not null,
    primary key (client_id, uri)
  )`,
  sql`alter table redirect_uri add constraint redirect_uri_is_short check (length(uri) <= 2048)`,
  sql`create table pending_authorization (
    token_hash bytea not null,
    person_id uuid not null,
    client_id text not null,
    redirect_uri text not null,
    scope text not null,
    state text null,
    challenge text null,
    created_at timestamptz(3) not null default gatehouse_now(),
    decision text null,
    settled_at timestamptz(3) null,
    settled_by bytea null,
    primary key (token_hash)
  )`,
  sql`create index pending_authorization_age on pending_authorization (created_at)`,
  sql`alter table pending_authorization
    add constraint pending_authorization_decision_check
    check (decision in ('allow', 'deny'))`,
  sql`create table consent (
    person_id uuid not null,
    client_id text not null,
    scopes text[] not null,
    granted_at timestamptz(3) not null,
    revoked_at timestamptz(3) null,
    primary key (person_id, client_id)
  )`,
  sql`create index consent_client on consent (client_id) where revoked_at is null`,
  sql`create table client_secret (
    client_id text not null,
    slot smallint not null,
    secret_hash bytea not null,
    last_four text not null,
    created_at timestamptz(3) not null default gatehouse_now(),
    expires_at timestamptz(3) null,
    primary key (client_id, slot)
  )`,
  sql`alter table client_secret add constraint client_secret_slot_check check (slot in (1, 2))`,
  sql`create table authorization_code (
    code_hash bytea not null,
    client_id text not null,
    person_id uuid not null,
    redirect_uri text not null,
    scope text not null,
    challenge text null,
    created_at timestamptz(3) not null default gatehouse_now(),
    consumed_at timestamptz(3) null,
    token_hash bytea null,
    primary key (code_hash)
  )`,
  sql`create index authorization_code_age on authorization_code (created_at)`,
  sql`create index authorization_code_owner on authorization_code (person_id, client_id)`,
  sql`create table membership_activation (
    membership_id uuid not null,
    product_id uuid not null,
    opened_at timestamptz(3) not null default gatehouse_now(),
    closed_at timestamptz(3) null,
    primary key (membership_id, product_id)
  )`,
  sql`create index membership_activation_product on membership_activation (product_id) where closed_at is null`,
  sql`create table event (
    id uuid not null,
    product_id uuid not null,
    name text not null,
    data jsonb not null,
    created_at timestamptz(3) not null,
    primary key (id)
  ) partition by range (id)`,
  sql`create index event_product on event (product_id, created_at, id)`,
  sql`create table entitlement (
    product_id uuid not null,
    person_id uuid not null,
    id uuid not null,
    type text null,
    source text null,
    ends_at timestamptz(3) null,
    recheck_at timestamptz(3) null,
    announced_active boolean not null default false,
    announced_ends_at timestamptz(3) null,
    primary key (product_id, person_id)
  )`,
  sql`alter table entitlement add constraint entitlement_id_unique unique (id)`,
  sql`create index entitlement_announced on entitlement (product_id, announced_ends_at)
    where announced_active`,
  sql`create index entitlement_person on entitlement (person_id)`,
  sql`create index entitlement_recheck on entitlement (recheck_at) where recheck_at is not null`,
  sql`alter table entitlement
    add constraint entitlement_type_check
    check (type in ('purchase', 'subscription', 'complimentary', 'member'))`,
  sql`create table click (
    id uuid not null,
    product_id uuid not null,
    source text not null,
    campaign text null,
    raw text null,
    is_automatic boolean not null default false,
    created_at timestamptz(3) not null default gatehouse_now(),
    primary key (id)
  ) partition by range (id)`,
  sql`create index click_product on click (product_id, created_at, id)`,
  sql`alter table click add constraint click_campaign_check check (length(campaign) <= 24)`,
  sql`alter table click add constraint click_raw_check check (length(raw) <= 512)`,
  sql`create table checkout (
    id uuid not null,
    person_id uuid not null,
    product_id uuid not null,
    offer_id uuid not null,
    price_id uuid not null,
    amount_minor bigint not null,
    currency char(3) not null,
    fee_basis_points int not null default platform_fee_now(),
    status text not null default 'open',
    session_id text null,
    session_url text null,
    return_to text null,
    expires_at timestamptz(3) not null,
    created_at timestamptz(3) not null default gatehouse_now(),
    primary key (id)
  )`,
  sql`alter table checkout add constraint checkout_session_id_unique unique (session_id)`,
  sql`create index checkout_open_of_product on checkout (product_id) where status = 'open'`,
  sql`create unique index checkout_open on checkout (person_id, product_id) where status = 'open'`,
  sql`alter table checkout add constraint checkout_amount_minor_check check (amount_minor > 0)`,
  sql`alter table checkout add constraint checkout_return_to_check check (length(return_to) <= 2048)`,
  sql`alter table checkout
    add constraint checkout_fee_basis_points_check
    check (fee_basis_points >= 0 and fee_basis_points <= 10000)`,
  sql`alter table checkout
    add constraint checkout_status_check
    check (status in ('open', 'paid', 'expired', 'abandoned', 'replaced'))`,
  sql`create table purchase (
    id text not null,
    checkout_id uuid not null,
    person_id uuid not null,
    product_id uuid not null,
    status text not null default 'pending',
    service_source text not null,
    service_campaign text null,
    service_campaign_raw text null,
    sequence bigint not null default '0',
    applied_sequence bigint not null default '0',
    ask_again_at timestamptz(3) null default (gatehouse_now() + '00:10:00'::interval),
    created_at timestamptz(3) not null default gatehouse_now(),
    cleared_at timestamptz(3) null,
    refunded_minor bigint not null default '0',
    refunded_at timestamptz(3) null,
    primary key (id)
  )`,
  sql`alter table purchase add constraint purchase_checkout_id_unique unique (checkout_id)`,
  sql`create index purchase_ask_again on purchase (ask_again_at, id) where ask_again_at is not null`,
  sql`create index purchase_of_person on purchase (person_id, id)`,
  sql`create index purchase_person on purchase (person_id, product_id)`,
  sql`create index purchase_product on purchase (product_id, created_at, id)`,
  sql`create index purchase_product_status on purchase (product_id, status, created_at, id)`,
  sql`alter table purchase add constraint purchase_refunded_minor_check check (refunded_minor >= 0)`,
  sql`alter table purchase
    add constraint purchase_status_check
    check (status in ('pending', 'clearing', 'cleared', 'failed', 'canceled', 'quarantined', 'refunded', 'charged_back'))`,
  sql`alter table purchase
    add constraint purchase_service_source_check
    check (service_source in ('buy_link', 'website', 'docs', 'github', 'launch', 'email', 'social', 'api', 'store', 'other'))`,
  sql`create table subscription (
    id text not null,
    purchase_id text not null,
    person_id uuid not null,
    product_id uuid not null,
    price_id uuid not null,
    amount_minor bigint not null,
    currency char(3) not null,
    billing_interval text not null,
    processor_id text null,
    status text not null default 'incomplete',
    began_at timestamptz(3) null,
    failed_period timestamptz(3) null,
    failed_attempts int not null default 0,
    period_start timestamptz(3) null,
    period_end timestamptz(3) null,
    past_due_at timestamptz(3) null,
    grace_ends_at timestamptz(3) null,
    cancel_at timestamptz(3) null,
    ended_at timestamptz(3) null,
    requested_change text null,
    change_number int not null default 0,
    seen_updates text[] not null default '{}',
    is_closing boolean not null default false,
    failure_notified_at timestamptz(3) null,
    reminded_of timestamptz(3) null,
    sequence bigint not null default '0',
    applied_sequence bigint not null default '0',
    ask_again_at timestamptz(3) null,
    created_at timestamptz(3) not null default gatehouse_now(),
    primary key (id)
  )`,
  sql`alter table subscription add constraint subscription_purchase_id_unique unique (purchase_id)`,
  sql`alter table subscription add constraint subscription_processor_id_unique unique (processor_id)`,
  sql`create index subscription_ask_again on subscription (ask_again_at, id) where ask_again_at is not null`,
  sql`create index subscription_began on subscription (product_id, began_at, id)
    include (ended_at, currency, billing_interval, amount_minor)
    where began_at is not null`,
  sql`create index subscription_product on subscription (product_id) where status <> 'ended'`,
  sql`create index subscription_renewal on subscription (product_id, period_end)
    where status in ('active', 'past_due')`,
  sql`create index subscription_status on subscription (product_id, status, began_at, id)
    where began_at is not null`,
  sql`create unique index subscription_live on subscription (person_id, product_id)
    where status in ('active', 'past_due', 'canceling')`,
  sql`alter table subscription add constraint subscription_amount_minor_check check (amount_minor > 0)`,
  sql`alter table subscription
    add constraint subscription_ended
    check ((status = 'ended') = (ended_at is not null))`,
  sql`alter table subscription
    add constraint subscription_past_due
    check (status <> 'past_due' or grace_ends_at is not null)`,
  sql`alter table subscription
    add constraint subscription_canceling
    check (status <> 'canceling' or cancel_at is not null)`,
  sql`alter table subscription
    add constraint subscription_begun
    check (status in ('incomplete', 'ended') or began_at is not null)`,
  sql`alter table subscription
    add constraint subscription_billing_interval_check
    check (billing_interval in ('month', 'year'))`,
  sql`alter table subscription
    add constraint subscription_status_check
    check (status in ('incomplete', 'active', 'past_due', 'canceling', 'ended'))`,
  sql`alter table subscription
    add constraint subscription_requested_change_check
    check (requested_change in ('cancel', 'resume'))`,
  sql`create table receipt (
    purchase_id text not null,
    product_name text not null,
    seller_name text not null,
    gross_minor bigint not null,
    currency char(3) not null,
    issued_at timestamptz(3) not null default gatehouse_now(),
    primary key (purchase_id)
  )`,
  sql`alter table receipt add constraint receipt_gross_minor_check check (gross_minor > 0)`,
  sql`create table processor_event (
    processor text not null,
    id text not null,
    type text not null,
    purchase_id text null,
    subscription_id text null,
    membership_id uuid null,
    body_id uuid not null default time_ordered_id(),
    received_at timestamptz(3) not null default gatehouse_now(),
    handled_at timestamptz(3) null,
    dead_letter_reason text null,
    set_aside_at timestamptz(3) null,
    set_aside_by uuid null,
    set_aside_note text null,
    primary key (processor, id)
  )`,
  sql`alter table processor_event add constraint processor_event_body_id unique (body_id)`,
  sql`create index processor_event_account on processor_event (received_at, id)
    where type = 'account.updated' and handled_at is null and dead_letter_reason is null`,
  sql`create index processor_event_dead_lettered on processor_event (received_at, id)
    where dead_letter_reason is not null and handled_at is null`,
  sql`create index processor_event_handled on processor_event (handled_at) where handled_at is not null`,
  sql`create index processor_event_of_membership on processor_event (membership_id)
    where membership_id is not null and handled_at is null`,
  sql`create index processor_event_of_subscription on processor_event (subscription_id)
    where subscription_id is not null and handled_at is null`,
  sql`create index processor_event_open on processor_event (purchase_id) where handled_at is null`,
  sql`create index processor_event_waiting on processor_event (received_at)
    where handled_at is null and dead_letter_reason is null`,
  sql`alter table processor_event
    add constraint processor_event_set_aside_note_check
    check (length(set_aside_note) >= 1 and length(set_aside_note) <= 500)`,
  sql`alter table processor_event
    add constraint processor_event_set_aside
    check (num_nonnulls(set_aside_at, set_aside_by, set_aside_note) in (0, 3) and (set_aside_at is null or handled_at is not null))`,
  sql`create table payment (
    id text not null,
    purchase_id text null,
    membership_id uuid null,
    gross_minor bigint not null,
    currency char(3) not null,
    cut_minor bigint not null,
    status text not null,
    processor_id text not null,
    subscription_id text null,
    period_start timestamptz(3) null,
    period_end timestamptz(3) null,
    returned_minor bigint not null default '0',
    processor_fee_minor bigint null,
    created_at timestamptz(3) not null default gatehouse_now(),
    primary key (id)
  )`,
  sql`alter table payment add constraint payment_processor_id_unique unique (processor_id)`,
  sql`create index payment_membership on payment (membership_id, period_start)
    where membership_id is not null`,
  sql`create index payment_member_money on payment (currency, created_at)
    where membership_id is not null`,
  sql`create index payment_purchase on payment (purchase_id)`,
  sql`create index payment_subscription on payment (subscription_id, period_start)
    where subscription_id is not null`,
  sql`alter table payment add constraint payment_gross_minor_check check (gross_minor > 0)`,
  sql`alter table payment add constraint payment_cut check (cut_minor >= 0 and cut_minor <= gross_minor)`,
  sql`alter table payment add constraint payment_returned_minor_check check (returned_minor >= 0)`,
  sql`alter table payment
    add constraint payment_processor_fee
    check (processor_fee_minor is null or (processor_fee_minor >= 0 and membership_id is not null))`,
  sql`alter table payment add constraint payment_for check (num_nonnulls(purchase_id, membership_id) = 1)`,
  sql`alter table payment
    add constraint payment_period
    check (num_nonnulls(period_start, period_end) in (0, 2) and (period_start is null or num_nonnulls(subscription_id, membership_id) = 1))`,
  sql`alter table payment
    add constraint payment_status_check
    check (status in ('pending', 'clearing', 'succeeded', 'partially_refunded', 'refunded', 'failed', 'canceled'))`,
  sql`create table refund (
    id text not null,
    payment_id text not null,
    amount_minor bigint not null,
    currency char(3) not null,
    status text not null default 'requested',
    requested_by uuid null,
    reason text null,
    failure text null,
    processor_id text null,
    created_at timestamptz(3) not null default gatehouse_now(),
    settled_at timestamptz(3) null,
    reversed_at timestamptz(3) null,
    primary key (id)
  )`,
  sql`alter table refund add constraint refund_processor_id_unique unique (processor_id)`,
  sql`create index refund_open on refund (created_at) where status in ('requested', 'submitted')`,
  sql`create index refund_payment on refund (payment_id)`,
  sql`alter table refund add constraint refund_amount_minor_check check (amount_minor > 0)`,
  sql`alter table refund
    add constraint refund_status_check
    check (status in ('requested', 'submitted', 'succeeded', 'reversed', 'failed', 'canceled'))`,
  sql`create table dispute (
    id text not null,
    payment_id text not null,
    processor_id text not null,
    amount_minor bigint not null,
    currency char(3) not null,
    reason text not null,
    status text not null,
    due_at timestamptz(3) null,
    sequence bigint not null,
    created_at timestamptz(3) not null default gatehouse_now(),
    settled_at timestamptz(3) null,
    primary key (id)
  )`,
  sql`alter table dispute add constraint dispute_processor_id_unique unique (processor_id)`,
  sql`create index dispute_open on dispute (payment_id) where status in ('open', 'warning')`,
  sql`create index dispute_payment on dispute (payment_id)`,
  sql`alter table dispute add constraint dispute_amount_minor_check check (amount_minor >= 0)`,
  sql`alter table dispute
    add constraint dispute_status_check
    check (status in ('warning', 'open', 'won', 'lost', 'closed'))`,
  sql`create table ledger_entry (
    id bigserial primary key,
    booking text not null,
    account text not null,
    kind text not null,
    amount_minor bigint not null,
    currency char(3) not null,
    payment_id text null,
    refund_id text null,
    dispute_id text null,
    product_id uuid null,
    pool_period_id text null,
    pool_owner_id uuid null,
    created_at timestamptz(3) not null default gatehouse_now()
  )`,
  sql`create index ledger_entry_dispute on ledger_entry (dispute_id) where dispute_id is not null`,
  sql`create index ledger_entry_payment on ledger_entry (payment_id)`,
  sql`create index ledger_entry_member_money on ledger_entry (created_at, payment_id)
    where account = 'platform' and kind in ('gross', 'refund', 'reversal', 'chargeback')`,
  sql`create index ledger_entry_pool_owner on ledger_entry (pool_owner_id)
    where pool_owner_id is not null`,
  sql`create index ledger_entry_statement on ledger_entry (product_id, created_at, id)
    include (currency, kind, amount_minor)
    where account = 'seller'`,
  sql`alter table ledger_entry
    add constraint ledger_entry_booking_account_kind_unique unique (booking, account, kind)`,
  sql`alter table ledger_entry add constraint ledger_entry_amount_minor_check check (amount_minor <> 0)`,
  sql`alter table ledger_entry
    add constraint ledger_entry_about
    check (num_nonnulls(payment_id, pool_period_id) = 1)`,
  sql`alter table ledger_entry
    add constraint ledger_entry_account_check
    check (account in ('buyer', 'seller', 'platform', 'pool', 'unattributed'))`,
  sql`alter table ledger_entry
    add constraint ledger_entry_kind_check
    check (kind in ('gross', 'cut', 'refund', 'reversal', 'chargeback', 'cut_returned', 'loss', 'dispute_fee', 'pool_share', 'pool_unattributed', 'pool_payout'))`,
  sql`create table charge_receipt (
    payment_id text not null,
    product_name text not null,
    seller_name text not null,
    gross_minor bigint not null,
    currency char(3) not null,
    issued_at timestamptz(3) not null default gatehouse_now(),
    primary key (payment_id)
  )`,
  sql`alter table charge_receipt add constraint charge_receipt_gross_minor_check check (gross_minor > 0)`,
  sql`create table api_key (
    id uuid not null,
    product_id uuid not null,
    key_hash bytea not null,
    mode text not null,
    name text not null,
    last_four text not null,
    created_at timestamptz(3) not null default gatehouse_now(),
    expires_at timestamptz(3) null,
    revoked_at timestamptz(3) null,
    last_used_at timestamptz(3) null,
    primary key (id)
  )`,
  sql`alter table api_key add constraint api_key_key_hash_unique unique (key_hash)`,
  sql`create index api_key_product on api_key (product_id)`,
  sql`alter table api_key add constraint api_key_mode_check check (mode in ('live', 'test'))`,
  sql`create table access_grant (
    id uuid not null,
    product_id uuid not null,
    person_id uuid not null,
    type text not null,
    source text not null,
    starts_at timestamptz(3) not null,
    ends_at timestamptz(3) null,
    withdrawn_at timestamptz(3) null,
    granted_by uuid null,
    created_at timestamptz(3) not null default gatehouse_now(),
    primary key (id)
  )`,
  sql`create index access_grant_complimentary on access_grant (product_id, created_at, id)
    where type = 'complimentary'`,
  sql`create index access_grant_complimentary_person on access_grant (person_id)
    where type = 'complimentary'`,
  sql`create index access_grant_source on access_grant (source) where type = 'complimentary'`,
  sql`alter table access_grant
    add constraint access_grant_product_id_person_id_source_unique unique (product_id, person_id, source)`,
  sql`alter table access_grant add constraint access_grant_span check (ends_at > starts_at)`,
  sql`alter table access_grant
    add constraint access_grant_type_check
    check (type in ('purchase', 'subscription', 'complimentary'))`,
  sql`create table payout_account (
    id uuid not null,
    person_id uuid null,
    team_id uuid null,
    processor_account text not null,
    can_charge boolean not null,
    is_submitted boolean not null default false,
    checked_at timestamptz(3) null,
    payout_seen_at timestamptz(3) null,
    failed_payout_id text null,
    failed_payout_minor bigint null,
    failed_payout_currency char(3) null,
    failed_payout_reason text null,
    pool_confirmed_at timestamptz(3) null,
    pool_confirmed_by uuid null,
    created_at timestamptz(3) not null default gatehouse_now(),
    replaced_at timestamptz(3) null,
    primary key (id)
  )`,
  sql`create unique index payout_account_person on payout_account (person_id)
    where replaced_at is null`,
  sql`create unique index payout_account_team on payout_account (team_id) where replaced_at is null`,
  sql`alter table payout_account
    add constraint payout_account_processor_account_unique unique (processor_account)`,
  sql`alter table payout_account
    add constraint payout_account_one_owner
    check (num_nonnulls(person_id, team_id) = 1)`,
  sql`alter table payout_account
    add constraint payout_account_failed_payout
    check (num_nonnulls(failed_payout_id, failed_payout_minor, failed_payout_currency, failed_payout_reason) in (0, 4))`,
  sql`alter table payout_account
    add constraint payout_account_pool_confirmed
    check (num_nonnulls(pool_confirmed_at, pool_confirmed_by) in (0, 2))`,
  sql`create table notification (
    id uuid not null,
    kind text not null,
    product_id uuid null,
    team_id uuid null,
    person_id uuid null,
    roles text[] not null default '{}',
    data jsonb not null default '{}',
    created_at timestamptz(3) not null default gatehouse_now(),
    primary key (id)
  )`,
  sql`create index notification_old on notification (created_at)`,
  sql`create index notification_person on notification (person_id, created_at, id)
    where person_id is not null`,
  sql`create index notification_team on notification (team_id, created_at, id) where team_id is not null`,
  sql`alter table notification add constraint notification_kind_check check (kind ~ '^[a-z]+(_[a-z]+)*$')`,
  sql`alter table notification
    add constraint notification_one_audience
    check (num_nonnulls(team_id, person_id) = 1 and (team_id is not null) = (cardinality(roles) > 0))`,
  sql`create table notification_read (
    notification_id uuid not null,
    person_id uuid not null,
    read_at timestamptz(3) not null default gatehouse_now(),
    primary key (notification_id, person_id)
  )`,
  sql`create table audit (
    id uuid not null,
    "at" timestamptz(3) not null default gatehouse_now(),
    actor_id uuid null,
    action text not null,
    subject text not null,
    team_id uuid null,
    product_id uuid null,
    detail jsonb not null default '{}',
    primary key (id)
  )`,
  sql`create index audit_action on audit (action collate "C", "at", id)`,
  sql`create index audit_actor on audit (actor_id, "at", id)`,
  sql`create index audit_at on audit ("at", id)`,
  sql`create index audit_product on audit (product_id, "at", id) where product_id is not null`,
  sql`create index audit_subject on audit (subject, "at", id)`,
  sql`create index audit_team on audit (team_id, "at", id) where team_id is not null`,
  sql`alter table audit add constraint audit_action_check check (action ~ '^[a-z_]+\.[a-z_]+$')`,
  sql`create table audit_address (
    audit_id uuid not null,
    ip text not null,
    primary key (audit_id)
  ) partition by range (audit_id)`,
  sql`create table team_invitation (
    id uuid not null,
    team_id uuid not null,
    address text not null,
    role text not null,
    invited_by uuid not null,
    created_at timestamptz(3) not null default gatehouse_now(),
    expires_at timestamptz(3) not null,
    accepted_at timestamptz(3) null,
    withdrawn_at timestamptz(3) null,
    primary key (id)
  )`,
  sql`create index team_invitation_address on team_invitation (lower(address))`,
  sql`create index team_invitation_over on team_invitation (expires_at)`,
  sql`create unique index team_invitation_open on team_invitation (team_id, lower(address))
    where accepted_at is null and withdrawn_at is null`,
  sql`alter table team_invitation
    add constraint team_invitation_role_check
    check (role in ('owner', 'admin', 'developer', 'finance', 'viewer'))`,
  sql`create table team_member (
    team_id uuid not null,
    person_id uuid not null,
    role text not null,
    created_at timestamptz(3) not null default gatehouse_now(),
    primary key (team_id, person_id)
  )`,
  sql`create index team_member_person on team_member (person_id)`,
  sql`alter table team_member
    add constraint team_member_role_check
    check (role in ('owner', 'admin', 'developer', 'finance', 'viewer'))`,
  sql`create table throttle (
    key text not null,
    points int not null,
    expire bigint not null,
    primary key (key)
  )`,
  sql`create index throttle_expire on throttle (expire)`,
  sql`create table pool_period (
    id text not null,
    "month" date not null,
    currency char(3) not null,
    status text not null default 'open',
    rule text not null,
    pool_share_bps int null,
    encrypted_key text null,
    freeze_due_at timestamptz(3) not null,
    freeze_began_at timestamptz(3) null,
    frozen_at timestamptz(3) null,
    snapshot_sha256 char(64) null,
    computed_at timestamptz(3) null,
    statement_sha256 char(64) null,
    fees_minor bigint null,
    platform_minor bigint null,
    products_minor bigint null,
    unattributed_minor bigint null,
    members int null,
    members_without_days int null,
    approved_at timestamptz(3) null,
    approved_by uuid null,
    paid_at timestamptz(3) null,
    problem text null,
    primary key (id)
  )`,
  sql`create index pool_period_unpaid on pool_period (freeze_due_at) where paid_at is null`,
  sql`alter table pool_period
    add constraint pool_period_month_currency unique ("month", currency)`,
  sql`alter table pool_period
    add constraint pool_period_id_check
    check (id ~ '^2[0-9]{3}-[0-9]{2}:[A-Z]{3}$')`,
  sql`alter table pool_period
    add constraint pool_period_pool_share_bps_check
    check (pool_share_bps >= 0 and pool_share_bps <= 10000)`,
  sql`alter table pool_period
    add constraint pool_period_frozen
    check (status in ('open', 'empty') or num_nonnulls(pool_share_bps, frozen_at, snapshot_sha256) = 3)`,
  sql`alter table pool_period
    add constraint pool_period_computed
    check (status in ('open', 'empty', 'frozen') or num_nonnulls(computed_at, statement_sha256, fees_minor, platform_minor, products_minor, unattributed_minor, members, members_without_days) = 8)`,
  sql`alter table pool_period
    add constraint pool_period_balanced
    check (fees_minor = platform_minor + products_minor + unattributed_minor)`,
  sql`alter table pool_period
    add constraint pool_period_status_check
    check (status in ('open', 'frozen', 'computed', 'in_review', 'approved', 'paying', 'paid', 'empty'))`,
  sql`create table pool_member (
    period_id text not null,
    member bytea not null,
    net_minor bigint not null,
    product_ids uuid[] not null,
    days smallint[] not null,
    primary key (period_id, member)
  )`,
  sql`alter table pool_member
    add constraint pool_member_days_check check (cardinality(product_ids) = cardinality(days))`,
  sql`alter table pool_member
    add constraint pool_member_net_minor_check check (net_minor >= 0)`,
  sql`create table pool_file_part (
    period_id text not null,
    "file" text not null,
    "number" int not null,
    bytes bytea not null,
    primary key (period_id, "file", "number")
  )`,
  sql`alter table pool_file_part
    add constraint pool_file_part_file_check check ("file" in ('snapshot', 'statement'))`,
  sql`create table pool_correction (
    period_id text not null,
    corrected_id text not null,
    member bytea not null,
    net_minor_before bigint not null,
    net_minor_after bigint not null,
    product_ids uuid[] not null,
    days_before smallint[] not null,
    days_after smallint[] not null,
    primary key (period_id, corrected_id, member)
  )`,
  sql`create index pool_correction_corrected on pool_correction (corrected_id, member)`,
  sql`alter table pool_correction
    add constraint pool_correction_earlier check (corrected_id < period_id)`,
  sql`alter table pool_correction
    add constraint pool_correction_days_check
    check (cardinality(product_ids) = cardinality(days_before) and cardinality(product_ids) = cardinality(days_after))`,
  sql`create table pool_preview (
    period_id text not null,
    requested_at timestamptz(3) not null default gatehouse_now(),
    computed_at timestamptz(3) null,
    figures jsonb null,
    primary key (period_id)
  )`,
  sql`create table pool_setting (
    id bigserial primary key,
    pool_share_bps int not null,
    minimum_minor bigint not null,
    since timestamptz(3) not null default gatehouse_now(),
    set_by uuid null
  )`,
  sql`alter table pool_setting
    add constraint pool_setting_pool_share_bps_check
    check (pool_share_bps >= 0 and pool_share_bps <= 10000)`,
  sql`alter table pool_setting
    add constraint pool_setting_minimum_minor_check check (minimum_minor >= 1)`,
  sql`create table pool_review (
    period_id text not null,
    product_id uuid not null,
    figures jsonb not null,
    is_listed boolean not null,
    primary key (period_id, product_id)
  )`,
  sql`create index pool_review_listed on pool_review (period_id) where is_listed`,
  sql`create table pool_hold (
    id uuid not null,
    product_id uuid not null,
    reason text not null,
    held_at timestamptz(3) not null default gatehouse_now(),
    held_by uuid not null,
    released_at timestamptz(3) null,
    released_by uuid null,
    primary key (id)
  )`,
  sql`create unique index pool_hold_open on pool_hold (product_id) where released_at is null`,
  sql`alter table pool_hold
    add constraint pool_hold_released check (num_nonnulls(released_at, released_by) in (0, 2))`,
  sql`create table pool_exclusion (
    person_id uuid not null,
    product_id uuid not null,
    "month" date not null,
    reason text not null,
    excluded_by uuid not null,
    created_at timestamptz(3) not null default gatehouse_now(),
    primary key (person_id, product_id, "month")
  )`,
  sql`create index pool_exclusion_month on pool_exclusion ("month")`,
  sql`create table included_span (
    id bigserial primary key,
    product_id uuid not null,
    started_at timestamptz(3) not null default gatehouse_now(),
    ended_at timestamptz(3) null
  )`,
  sql`create index included_span_product on included_span (product_id)`,
  sql`create unique index included_span_open on included_span (product_id)
    where ended_at is null`,
  sql`create table pool_payout (
    id text not null,
    period_id text not null,
    person_id uuid null,
    team_id uuid null,
    currency char(3) not null,
    amount_minor bigint not null,
    account text not null,
    status text not null default 'paying',
    attempts int not null default 0,
    due_at timestamptz(3) null,
    last_error text null,
    is_outcome_unknown boolean not null default false,
    transfer_id text null,
    created_at timestamptz(3) not null default gatehouse_now(),
    ended_at timestamptz(3) null,
    primary key (id)
  )`,
  sql`create index pool_payout_open on pool_payout (due_at) where status = 'paying'`,
  sql`create index pool_payout_period on pool_payout (period_id)`,
  sql`create index pool_payout_transfer on pool_payout (transfer_id) where transfer_id is not null`,
  sql`create index pool_payout_team on pool_payout (team_id, created_at)
    where team_id is not null`,
  sql`create index pool_payout_person on pool_payout (person_id, created_at)
    where person_id is not null`,
  sql`alter table pool_payout
    add constraint pool_payout_one_owner check (num_nonnulls(person_id, team_id) = 1)`,
  sql`alter table pool_payout
    add constraint pool_payout_amount_minor_check check (amount_minor > 0)`,
  sql`alter table pool_payout
    add constraint pool_payout_open_until
    check ((status = 'paying') = (ended_at is null) and (status = 'paid') = (transfer_id is not null))`,
  sql`alter table pool_payout
    add constraint pool_payout_known_at_the_end
    check (status = 'paying' or not is_outcome_unknown)`,
  sql`alter table pool_payout
    add constraint pool_payout_status_check check (status in ('paying', 'paid', 'failed'))`,
  sql`create table pool_line (
    id bigserial primary key,
    period_id text not null,
    currency char(3) not null,
    product_id uuid not null,
    "month" date not null,
    person_id uuid null,
    team_id uuid null,
    amount_minor bigint not null,
    members int not null,
    qualified_days int not null,
    bands jsonb not null,
    status text not null default 'payable',
    payout_id text null
  )`,
  sql`create index pool_line_product on pool_line (product_id, period_id)`,
  sql`create index pool_line_payout on pool_line (payout_id) where payout_id is not null`,
  sql`create index pool_line_unpaid_team on pool_line (team_id, currency)
    where payout_id is null and team_id is not null`,
  sql`create index pool_line_unpaid_person on pool_line (person_id, currency)
    where payout_id is null and person_id is not null`,
  sql`alter table pool_line
    add constraint pool_line_once unique (period_id, product_id, "month")`,
  sql`alter table pool_line
    add constraint pool_line_one_owner check (num_nonnulls(person_id, team_id) = 1)`,
  sql`alter table pool_line
    add constraint pool_line_in_payout
    check ((status in ('paying', 'paid')) = (payout_id is not null))`,
  sql`alter table pool_line
    add constraint pool_line_status_check
    check (status in ('payable', 'held', 'below_minimum', 'no_account', 'paying', 'paid', 'failed'))`,
  sql`create table team_stay (
    id bigserial primary key,
    team_id uuid not null,
    person_id uuid not null,
    started_at timestamptz(3) not null,
    ended_at timestamptz(3) not null default gatehouse_now()
  )`,
  sql`create index team_stay_ended on team_stay (ended_at)`,
  sql`create table usage_closed_day (
    "day" date not null,
    through_product uuid null,
    finished_at timestamptz(3) null,
    primary key ("day")
  )`,
  sql`create table usage_day_sum (
    product_id uuid not null,
    "day" date not null,
    people int not null,
    qualified int not null,
    members int not null,
    own_team int not null,
    session_only int not null,
    no_person_token int not null,
    sessions int not null,
    heartbeats int not null,
    activities int not null,
    profile_reads int not null,
    by_key int not null,
    primary key (product_id, "day")
  )`,
  sql`create index usage_day_sum_day on usage_day_sum ("day")`,
  // The columns of eight bytes come before those of four, so that a row has no holes.
  sql`create table usage_month (
    person_id uuid not null,
    product_id uuid not null,
    first_at timestamptz(3) not null,
    last_at timestamptz(3) not null,
    "month" date not null,
    session_days int not null,
    heartbeat_days int not null,
    activity_days int not null,
    profile_read_days int not null,
    key_days int not null,
    qualifying_days int not null,
    primary key (person_id, product_id, "month")
  ) partition by range ("month")`,
  sql`create index usage_month_product on usage_month (product_id)`,
  sql`alter table usage_month add constraint usage_month_first_to_last check (last_at >= first_at)`,
  sql`alter table usage_month
    add constraint usage_month_qualifies
    check (qualifying_days & ~(heartbeat_days | activity_days | profile_read_days) = 0)`,
  sql`create table usage_month_sum (
    product_id uuid not null,
    "month" date not null,
    "through" date not null,
    people int not null,
    "returning" int not null,
    members int not null,
    qualified_days bigint not null,
    member_days bigint not null,
    primary key (product_id, "month")
  )`,
  sql`create table verification_request (
    person_id uuid not null,
    sells text not null,
    place text not null,
    contact text not null,
    primary key (person_id)
  )`,
  sql`alter table verification_request
    add constraint verification_request_lengths
    check (length(sells) <= 500 and length(place) <= 300 and length(contact) <= 200)`,
  sql`create table webhook_endpoint (
    id uuid not null,
    product_id uuid not null,
    slot smallint not null,
    url text not null,
    events text[] not null,
    encrypted_secret text not null,
    previous_encrypted_secret text null,
    previous_until timestamptz(3) null,
    created_at timestamptz(3) not null default gatehouse_now(),
    disabled_at timestamptz(3) null,
    deleted_at timestamptz(3) null,
    deliveries_closed_at timestamptz(3) null,
    failing_since timestamptz(3) null,
    last_dead_at timestamptz(3) null,
    dead_notified_at timestamptz(3) null,
    primary key (id)
  )`,
  sql`create index webhook_endpoint_failing on webhook_endpoint (failing_since)
    where deleted_at is null and disabled_at is null and failing_since is not null`,
  sql`create index webhook_endpoint_unnotified on webhook_endpoint (last_dead_at)
    where deleted_at is null and last_dead_at > coalesce(dead_notified_at, '-infinity'::timestamptz)`,
  sql`create index webhook_endpoint_unclosed on webhook_endpoint (id)
    where greatest(disabled_at, deleted_at) > coalesce(deliveries_closed_at, '-infinity'::timestamptz)`,
  sql`create unique index webhook_endpoint_slot on webhook_endpoint (product_id, slot)
    where deleted_at is null`,
  sql`alter table webhook_endpoint add constraint webhook_endpoint_slot_check check (slot >= 1 and slot <= 10)`,
  sql`alter table webhook_endpoint add constraint webhook_endpoint_url_check check (length(url) <= 2048)`,
  sql`create table recovery (
    id uuid not null,
    product_id uuid not null,
    endpoint_id uuid null,
    event_name text null,
    statuses text[] not null,
    since timestamptz(3) not null,
    "until" timestamptz(3) not null,
    total int not null,
    done int not null default 0,
    queued int not null default 0,
    status text not null default 'running',
    after_at timestamptz(3) null,
    after_id text collate "C" null,
    started_by uuid not null,
    created_at timestamptz(3) not null default gatehouse_now(),
    finished_at timestamptz(3) null,
    primary key (id)
  )`,
  sql`create index recovery_product on recovery (product_id, created_at, id)`,
  sql`create unique index recovery_running on recovery (product_id) where status = 'running'`,
  sql`alter table recovery
    add constraint recovery_statuses_check
    check (cardinality(statuses) > 0 and statuses <@ array['dead', 'held'])`,
  sql`alter table recovery add constraint recovery_span check (until > since)`,
  sql`alter table recovery add constraint recovery_total_check check (total >= 0 and total <= 10000)`,
  sql`alter table recovery add constraint recovery_done check (done >= 0 and done <= total)`,
  sql`alter table recovery add constraint recovery_queued check (queued >= 0 and queued <= done)`,
  sql`alter table recovery add constraint recovery_status_check check (status in ('running', 'completed'))`,
  sql`create table integration_count (
    product_id uuid not null,
    "day" date not null,
    first_attempts int not null default 0,
    first_successes int not null default 0,
    callbacks int not null default 0,
    tokens int not null default 0,
    primary key (product_id, "day")
  )`,
  sql`create index integration_count_old on integration_count ("day")`,
  sql`create table seal_review (
    product_id uuid not null,
    week date not null,
    is_passed boolean not null,
    criteria jsonb not null,
    state text not null,
    reviewed_at timestamptz(3) not null default gatehouse_now(),
    primary key (product_id, week)
  )`,
  sql`create index seal_review_old on seal_review (week)`,
  sql`alter table seal_review
    add constraint seal_review_state_check
    check (state in ('none', 'first_pass', 'held', 'noticed', 'lost'))`,
  sql`create table seal_appeal (
    id uuid not null,
    product_id uuid not null,
    person_id uuid not null,
    "text" text not null,
    created_at timestamptz(3) not null default gatehouse_now(),
    outcome text null,
    answered_at timestamptz(3) null,
    answered_by uuid null,
    primary key (id)
  )`,
  sql`create index seal_appeal_product on seal_appeal (product_id, created_at)`,
  sql`create index seal_appeal_waiting on seal_appeal (created_at, id) where outcome is null`,
  sql`create unique index seal_appeal_open on seal_appeal (product_id) where outcome is null`,
  sql`alter table seal_appeal
    add constraint seal_appeal_text_check
    check (length(text) >= 1 and length(text) <= 2000)`,
  sql`alter table seal_appeal
    add constraint seal_appeal_answered
    check ((outcome is null) = (answered_at is null))`,
  sql`alter table seal_appeal
    add constraint seal_appeal_outcome_check
    check (outcome in ('restored', 'declined', 'closed'))`,
  sql`create table seal (
    product_id uuid not null,
    state text not null default 'none',
    failures int not null default 0,
    held_since timestamptz(3) null,
    noticed_at timestamptz(3) null,
    notice_ends_at timestamptz(3) null,
    lost_at timestamptz(3) null,
    loss_reason text null,
    restored_from text null,
    primary key (product_id)
  )`,
  sql`alter table seal add constraint seal_failures check (failures >= 0)`,
  sql`alter table seal
    add constraint seal_lost
    check ((state = 'lost') = (loss_reason is not null))`,
  sql`alter table seal
    add constraint seal_noticed
    check (state <> 'noticed' or notice_ends_at is not null)`,
  sql`alter table seal
    add constraint seal_restored
    check (restored_from is null or state = 'held')`,
  sql`alter table seal
    add constraint seal_state_check
    check (state in ('none', 'first_pass', 'held', 'noticed', 'lost'))`,
  sql`alter table seal
    add constraint seal_loss_reason_check
    check (loss_reason in ('review', 'unlisted', 'removed'))`,
  sql`alter table seal
    add constraint seal_restored_from_check
    check (restored_from in ('noticed', 'lost'))`,
  sql`create table delivery (
    id text collate "C" not null,
    event_id uuid not null,
    endpoint_id uuid not null,
    product_id uuid not null,
    event_name text not null,
    body bytea not null,
    created_at timestamptz(3) not null,
    is_example boolean not null default false,
    primary key (id)
  ) partition by range (id)`,
  sql`create index delivery_endpoint on delivery (endpoint_id, created_at, id)`,
  sql`create index delivery_event on delivery (product_id, event_name, created_at, id)`,
  sql`create index delivery_product on delivery (product_id, created_at, id)`,
  sql`create table delivery_state (
    delivery_id text collate "C" not null,
    product_id uuid not null,
    endpoint_id uuid not null,
    status text not null default 'pending',
    run int not null default 1,
    step int not null default 0,
    due_at timestamptz(3) null,
    cohort text null,
    created_at timestamptz(3) not null,
    finished_at timestamptz(3) null,
    primary key (delivery_id)
  )`,
  sql`create index delivery_state_endpoint on delivery_state (status, endpoint_id, due_at)`,
  sql`create index delivery_state_product on delivery_state (product_id, status, created_at)`,
  sql`create index delivery_state_cohort on delivery_state (cohort, status, due_at) where cohort is not null`,
  sql`create index delivery_state_retry on delivery_state (due_at) where status = 'retrying'`,
  sql`alter table delivery_state add constraint delivery_state_step_check check (step >= 0 and step <= 5)`,
  sql`alter table delivery_state
    add constraint delivery_state_status_check
    check (status in ('pending', 'retrying', 'dead', 'held', 'cancelled'))`,
  sql`alter table passkey
    add constraint passkey_person_id_foreign
    foreign key (person_id) references person (id) on update no action on delete no action`,
  sql`alter table member_price
    add constraint member_price_set_by_foreign
    foreign key (set_by) references person (id) on update no action on delete no action`,
  sql`alter table membership
    add constraint membership_person_id_foreign
    foreign key (person_id) references person (id) on update no action on delete no action`,
  sql`alter table membership
    add constraint membership_price_id_foreign
    foreign key (price_id) references member_price (id) on update no action on delete no action`,
  sql`alter table membership_change
    add constraint membership_change_membership_id_foreign
    foreign key (membership_id) references membership (id) on update no action on delete no action`,
  sql`alter table mail_token
    add constraint mail_token_person_id_foreign
    foreign key (person_id) references person (id) on update no action on delete no action`,
  sql`alter table alert
    add constraint alert_resolved_by_foreign
    foreign key (resolved_by) references person (id) on update no action on delete no action`,
  sql`alter table person_image
    add constraint person_image_person_id_foreign
    foreign key (person_id) references person (id) on update no action on delete no action`,
  sql`alter table platform_fee
    add constraint platform_fee_set_by_foreign
    foreign key (set_by) references person (id) on update no action on delete no action`,
  sql`alter table session
    add constraint session_person_id_foreign
    foreign key (person_id) references person (id) on update no action on delete no action`,
  sql`alter table sign_in_address
    add constraint sign_in_address_person_id_foreign
    foreign key (person_id) references person (id) on update no action on delete no action`,
  sql`alter table product
    add constraint product_owner_person_id_foreign
    foreign key (owner_person_id) references person (id) on update no action on delete no action`,
  sql`alter table product
    add constraint product_owner_team_id_foreign
    foreign key (owner_team_id) references team (id) on update no action on delete no action`,
  sql`alter table product
    add constraint product_commercial_operator_id_foreign
    foreign key (commercial_operator_id) references person (id) on update no action on delete no action`,
  sql`alter table listing
    add constraint listing_product_id_foreign
    foreign key (product_id) references product (id) on update no action on delete no action`,
  sql`alter table product_search
    add constraint product_search_product_id_foreign
    foreign key (product_id) references product (id) on update no action on delete no action`,
  sql`alter table release
    add constraint release_product_id_foreign
    foreign key (product_id) references product (id) on update no action on delete no action`,
  sql`alter table listing_import
    add constraint listing_import_product_id_foreign
    foreign key (product_id) references product (id) on update no action on delete no action`,
  sql`alter table listing_import
    add constraint listing_import_applied_by_foreign
    foreign key (applied_by) references person (id) on update no action on delete no action`,
  sql`alter table product_slug
    add constraint product_slug_product_id_foreign
    foreign key (product_id) references product (id) on update no action on delete no action`,
  sql`alter table offer
    add constraint offer_product_id_foreign
    foreign key (product_id) references product (id) on update no action on delete no action`,
  sql`alter table price
    add constraint price_offer_id_foreign
    foreign key (offer_id) references offer (id) on update no action on delete no action`,
  sql`alter table oauth_client
    add constraint oauth_client_product_id_foreign
    foreign key (product_id) references product (id) on update no action on delete no action`,
  sql`alter table redirect_uri
    add constraint redirect_uri_client_id_foreign
    foreign key (client_id) references oauth_client (id) on update no action on delete no action`,
  sql`alter table pending_authorization
    add constraint pending_authorization_person_id_foreign
    foreign key (person_id) references person (id) on update no action on delete no action`,
  sql`alter table pending_authorization
    add constraint pending_authorization_client_id_foreign
    foreign key (client_id) references oauth_client (id) on update no action on delete no action`,
  sql`alter table consent
    add constraint consent_person_id_foreign
    foreign key (person_id) references person (id) on update no action on delete no action`,
  sql`alter table consent
    add constraint consent_client_id_foreign
    foreign key (client_id) references oauth_client (id) on update no action on delete no action`,
  sql`alter table client_secret
    add constraint client_secret_client_id_foreign
    foreign key (client_id) references oauth_client (id) on update no action on delete no action`,
  sql`alter table authorization_code
    add constraint authorization_code_client_id_foreign
    foreign key (client_id) references oauth_client (id) on update no action on delete no action`,
  sql`alter table authorization_code
    add constraint authorization_code_person_id_foreign
    foreign key (person_id) references person (id) on update no action on delete no action`,
  sql`alter table membership_activation
    add constraint membership_activation_membership_id_foreign
    foreign key (membership_id) references membership (id) on update no action on delete no action`,
  sql`alter table membership_activation
    add constraint membership_activation_product_id_foreign
    foreign key (product_id) references product (id) on update no action on delete no action`,
  sql`alter table entitlement
    add constraint entitlement_product_id_foreign
    foreign key (product_id) references product (id) on update no action on delete no action`,
  sql`alter table entitlement
    add constraint entitlement_person_id_foreign
    foreign key (person_id) references person (id) on update no action on delete no action`,
  sql`alter table checkout
    add constraint checkout_person_id_foreign
    foreign key (person_id) references person (id) on update no action on delete no action`,
  sql`alter table checkout
    add constraint checkout_product_id_foreign
    foreign key (product_id) references product (id) on update no action on delete no action`,
  sql`alter table checkout
    add constraint checkout_offer_id_foreign
    foreign key (offer_id) references offer (id) on update no action on delete no action`,
  sql`alter table checkout
    add constraint checkout_price_id_foreign
    foreign key (price_id) references price (id) on update no action on delete no action`,
  sql`alter table purchase
    add constraint purchase_checkout_id_foreign
    foreign key (checkout_id) references checkout (id) on update no action on delete no action`,
  sql`alter table purchase
    add constraint purchase_person_id_foreign
    foreign key (person_id) references person (id) on update no action on delete no action`,
  sql`alter table purchase
    add constraint purchase_product_id_foreign
    foreign key (product_id) references product (id) on update no action on delete no action`,
  sql`alter table subscription
    add constraint subscription_purchase_id_foreign
    foreign key (purchase_id) references purchase (id) on update no action on delete no action`,
  sql`alter table subscription
    add constraint subscription_person_id_foreign
    foreign key (person_id) references person (id) on update no action on delete no action`,
  sql`alter table subscription
    add constraint subscription_product_id_foreign
    foreign key (product_id) references product (id) on update no action on delete no action`,
  sql`alter table subscription
    add constraint subscription_price_id_foreign
    foreign key (price_id) references price (id) on update no action on delete no action`,
  sql`alter table receipt
    add constraint receipt_purchase_id_foreign
    foreign key (purchase_id) references purchase (id) on update no action on delete no action`,
  sql`alter table processor_event
    add constraint processor_event_purchase_id_foreign
    foreign key (purchase_id) references purchase (id) on update no action on delete no action`,
  sql`alter table processor_event
    add constraint processor_event_subscription_id_foreign
    foreign key (subscription_id) references subscription (id) on update no action on delete no action`,
  sql`alter table processor_event
    add constraint processor_event_membership_id_foreign
    foreign key (membership_id) references membership (id) on update no action on delete no action`,
  sql`alter table processor_event
    add constraint processor_event_set_aside_by_foreign
    foreign key (set_aside_by) references person (id) on update no action on delete no action`,
  sql`alter table payment
    add constraint payment_purchase_id_foreign
    foreign key (purchase_id) references purchase (id) on update no action on delete no action`,
  sql`alter table payment
    add constraint payment_membership_id_foreign
    foreign key (membership_id) references membership (id) on update no action on delete no action`,
  sql`alter table payment
    add constraint payment_subscription_id_foreign
    foreign key (subscription_id) references subscription (id) on update no action on delete no action`,
  sql`alter table refund
    add constraint refund_payment_id_foreign
    foreign key (payment_id) references payment (id) on update no action on delete no action`,
  sql`alter table refund
    add constraint refund_requested_by_foreign
    foreign key (requested_by) references person (id) on update no action on delete no action`,
  sql`alter table dispute
    add constraint dispute_payment_id_foreign
    foreign key (payment_id) references payment (id) on update no action on delete no action`,
  sql`alter table ledger_entry
    add constraint ledger_entry_payment_id_foreign
    foreign key (payment_id) references payment (id) on update no action on delete no action`,
  sql`alter table ledger_entry
    add constraint ledger_entry_refund_id_foreign
    foreign key (refund_id) references refund (id) on update no action on delete no action`,
  sql`alter table ledger_entry
    add constraint ledger_entry_dispute_id_foreign
    foreign key (dispute_id) references dispute (id) on update no action on delete no action`,
  sql`alter table ledger_entry
    add constraint ledger_entry_product_id_foreign
    foreign key (product_id) references product (id) on update no action on delete no action`,
  sql`alter table charge_receipt
    add constraint charge_receipt_payment_id_foreign
    foreign key (payment_id) references payment (id) on update no action on delete no action`,
  sql`alter table api_key
    add constraint api_key_product_id_foreign
    foreign key (product_id) references product (id) on update no action on delete no action`,
  sql`alter table access_grant
    add constraint access_grant_product_id_foreign
    foreign key (product_id) references product (id) on update no action on delete no action`,
  sql`alter table access_grant
    add constraint access_grant_person_id_foreign
    foreign key (person_id) references person (id) on update no action on delete no action`,
  sql`alter table access_grant
    add constraint access_grant_granted_by_foreign
    foreign key (granted_by) references person (id) on update no action on delete no action`,
  sql`alter table payout_account
    add constraint payout_account_person_id_foreign
    foreign key (person_id) references person (id) on update no action on delete no action`,
  sql`alter table payout_account
    add constraint payout_account_team_id_foreign
    foreign key (team_id) references team (id) on update no action on delete no action`,
  sql`alter table notification
    add constraint notification_product_id_foreign
    foreign key (product_id) references product (id) on update no action on delete no action`,
  sql`alter table notification
    add constraint notification_team_id_foreign
    foreign key (team_id) references team (id) on update no action on delete no action`,
  sql`alter table notification
    add constraint notification_person_id_foreign
    foreign key (person_id) references person (id) on update no action on delete no action`,
  sql`alter table notification_read
    add constraint notification_read_notification_id_foreign
    foreign key (notification_id) references notification (id) on update no action on delete cascade`,
  sql`alter table notification_read
    add constraint notification_read_person_id_foreign
    foreign key (person_id) references person (id) on update no action on delete no action`,
  sql`alter table audit
    add constraint audit_actor_id_foreign
    foreign key (actor_id) references person (id) on update no action on delete no action`,
  sql`alter table audit
    add constraint audit_team_id_foreign
    foreign key (team_id) references team (id) on update no action on delete no action`,
  sql`alter table audit
    add constraint audit_product_id_foreign
    foreign key (product_id) references product (id) on update no action on delete no action`,
  sql`alter table team_invitation
    add constraint team_invitation_team_id_foreign
    foreign key (team_id) references team (id) on update no action on delete no action`,
  sql`alter table team_invitation
    add constraint team_invitation_invited_by_foreign
    foreign key (invited_by) references person (id) on update no action on delete no action`,
  sql`alter table team_member
    add constraint team_member_team_id_foreign
    foreign key (team_id) references team (id) on update no action on delete no action`,
  sql`alter table team_member
    add constraint team_member_person_id_foreign
    foreign key (person_id) references person (id) on update no action on delete no action`,
  sql`alter table verification_request
    add constraint verification_request_person_id_foreign
    foreign key (person_id) references person (id) on update no action on delete no action`,
  sql`alter table webhook_endpoint
    add constraint webhook_endpoint_product_id_foreign
    foreign key (product_id) references product (id) on update no action on delete no action`,
  sql`alter table recovery
    add constraint recovery_product_id_foreign
    foreign key (product_id) references product (id) on update no action on delete no action`,
  sql`alter table recovery
    add constraint recovery_endpoint_id_foreign
    foreign key (endpoint_id) references webhook_endpoint (id) on update no action on delete no action`,
  sql`alter table recovery
    add constraint recovery_started_by_foreign
    foreign key (started_by) references person (id) on update no action on delete no action`,
  sql`alter table seal_review
    add constraint seal_review_product_id_foreign
    foreign key (product_id) references product (id) on update no action on delete no action`,
  sql`alter table seal_appeal
    add constraint seal_appeal_product_id_foreign
    foreign key (product_id) references product (id) on update no action on delete no action`,
  sql`alter table seal_appeal
    add constraint seal_appeal_person_id_foreign
    foreign key (person_id) references person (id) on update no action on delete no action`,
  sql`alter table seal_appeal
    add constraint seal_appeal_answered_by_foreign
    foreign key (answered_by) references person (id) on update no action on delete no action`,
  sql`alter table seal
    add constraint seal_product_id_foreign
    foreign key (product_id) references product (id) on update no action on delete no action`,
  sql`alter table pool_period
    add constraint pool_period_approved_by_foreign
    foreign key (approved_by) references person (id)
    on update no action on delete no action`,
  sql`alter table pool_member
    add constraint pool_member_period_id_foreign
    foreign key (period_id) references pool_period (id)
    on update no action on delete no action`,
  sql`alter table pool_file_part
    add constraint pool_file_part_period_id_foreign
    foreign key (period_id) references pool_period (id)
    on update no action on delete no action`,
  sql`alter table pool_correction
    add constraint pool_correction_period_id_foreign
    foreign key (period_id) references pool_period (id)
    on update no action on delete no action`,
  sql`alter table pool_correction
    add constraint pool_correction_corrected_id_foreign
    foreign key (corrected_id) references pool_period (id)
    on update no action on delete no action`,
  sql`alter table pool_preview
    add constraint pool_preview_period_id_foreign
    foreign key (period_id) references pool_period (id)
    on update no action on delete no action`,
  sql`alter table pool_setting
    add constraint pool_setting_set_by_foreign
    foreign key (set_by) references person (id)
    on update no action on delete no action`,
  sql`alter table pool_review
    add constraint pool_review_period_id_foreign
    foreign key (period_id) references pool_period (id)
    on update no action on delete no action`,
  sql`alter table pool_review
    add constraint pool_review_product_id_foreign
    foreign key (product_id) references product (id)
    on update no action on delete no action`,
  sql`alter table pool_hold
    add constraint pool_hold_product_id_foreign
    foreign key (product_id) references product (id)
    on update no action on delete no action`,
  sql`alter table pool_hold
    add constraint pool_hold_held_by_foreign
    foreign key (held_by) references person (id)
    on update no action on delete no action`,
  sql`alter table pool_hold
    add constraint pool_hold_released_by_foreign
    foreign key (released_by) references person (id)
    on update no action on delete no action`,
  sql`alter table pool_exclusion
    add constraint pool_exclusion_person_id_foreign
    foreign key (person_id) references person (id)
    on update no action on delete no action`,
  sql`alter table pool_exclusion
    add constraint pool_exclusion_product_id_foreign
    foreign key (product_id) references product (id)
    on update no action on delete no action`,
  sql`alter table pool_exclusion
    add constraint pool_exclusion_excluded_by_foreign
    foreign key (excluded_by) references person (id)
    on update no action on delete no action`,
  sql`alter table included_span
    add constraint included_span_product_id_foreign
    foreign key (product_id) references product (id)
    on update no action on delete no action`,
  sql`alter table pool_payout
    add constraint pool_payout_period_id_foreign
    foreign key (period_id) references pool_period (id)
    on update no action on delete no action`,
  sql`alter table pool_payout
    add constraint pool_payout_person_id_foreign
    foreign key (person_id) references person (id)
    on update no action on delete no action`,
  sql`alter table pool_payout
    add constraint pool_payout_team_id_foreign
    foreign key (team_id) references team (id)
    on update no action on delete no action`,
  sql`alter table pool_line
    add constraint pool_line_period_id_foreign
    foreign key (period_id) references pool_period (id)
    on update no action on delete no action`,
  sql`alter table pool_line
    add constraint pool_line_product_id_foreign
    foreign key (product_id) references product (id)
    on update no action on delete no action`,
  sql`alter table pool_line
    add constraint pool_line_person_id_foreign
    foreign key (person_id) references person (id)
    on update no action on delete no action`,
  sql`alter table pool_line
    add constraint pool_line_team_id_foreign
    foreign key (team_id) references team (id)
    on update no action on delete no action`,
  sql`alter table pool_line
    add constraint pool_line_payout_id_foreign
    foreign key (payout_id) references pool_payout (id)
    on update no action on delete no action`,
  sql`alter table team_stay
    add constraint team_stay_team_id_foreign
    foreign key (team_id) references team (id)
    on update no action on delete no action`,
  sql`alter table team_stay
    add constraint team_stay_person_id_foreign
    foreign key (person_id) references person (id)
    on update no action on delete no action`,
  sql`alter table payout_account
    add constraint payout_account_pool_confirmed_by_foreign
    foreign key (pool_confirmed_by) references person (id)
    on update no action on delete no action`,
];
