import { defineEntity, p } from '@mikro-orm/core';
import { Person } from '../identity/person.entity.ts';
import { Team } from '../teams/team.entity.ts';

const PRODUCT_STATES = ['draft', 'listed', 'unlisted', 'removed'] as const;
const DELIVERY_KINDS = ['entitlement_api', 'external_store', 'affiliate'] as const;

/** Grows with products; kept for good. */
export const Product = defineEntity({
  name: 'Product',
  properties: {
    id: p.uuid().primary(),
    ownerPersonId: () =>
      p.manyToOne(Person).mapToPk().joinColumn('owner_person_id').strictNullable(),
    ownerTeamId: () => p.manyToOne(Team).mapToPk().joinColumn('owner_team_id').strictNullable(),
    name: p.text(),
    tagline: p.text(),
    state: p.enum(PRODUCT_STATES).default('draft'),
    delivery: p.enum(DELIVERY_KINDS).default('entitlement_api'),
    includedWithMember: p.boolean().default(false),
    /**
     * The address at which customers use the product, and the one where a sign-in with Gatehouse
     * begins there.
     */
    websiteUrl: p.text().strictNullable(),
    signInUrl: p.text().strictNullable(),
    /** What the seller promises about refunds, as buyers read it. */
    refundTerms: p.text().strictNullable(),
    listedAt: p.datetime(3).strictNullable(),
    /** Only an operator lists it again. */
    isUnlistedByOperator: p.boolean().default(false),
    /** The seller of record; the person's rights are checked at each read. */
    commercialOperatorId: () =>
      p.manyToOne(Person).mapToPk().joinColumn('commercial_operator_id').strictNullable(),
    /** Set when all access to a removed product is withdrawn. */
    settledAt: p.datetime(3).strictNullable(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    slugs: () => p.oneToMany(ProductSlug).mappedBy('productId'),
  },
  indexes: [
    {
      name: 'product_included',
      columns: [{ name: 'listed_at', sort: 'desc' }, { name: 'id' }],
      where: `included_with_member`,
    },
    {
      name: 'product_listed',
      columns: [{ name: 'listed_at', sort: 'desc' }, { name: 'id' }],
      where: `state = 'listed'`,
    },
    {
      name: 'product_name_start',
      expression: `create index product_name_start on product (lower(name) collate "C")`,
    },
    { name: 'product_owner', properties: ['ownerPersonId'] },
    { name: 'product_owner_team', properties: ['ownerTeamId'] },
    { name: 'product_removed', properties: ['id', 'settledAt'], where: `state = 'removed'` },
  ],
  checks: [
    { name: 'product_one_owner', expression: `num_nonnulls(owner_person_id, owner_team_id) = 1` },
    {
      name: 'product_website_url_check',
      expression: `website_url ~ '^https?://' and length(website_url) <= 2048`,
    },
    {
      name: 'product_sign_in_url_check',
      expression: `sign_in_url ~ '^https?://' and length(sign_in_url) <= 2048`,
    },
    {
      name: 'product_refund_terms_check',
      expression: `length(refund_terms) >= 1 and length(refund_terms) <= 2000`,
    },
    // Member opens products that Gatehouse sells and checks.
    {
      name: 'product_included',
      expression: `not included_with_member or delivery = 'entitlement_api'`,
    },
    {
      name: 'product_unlisted_by_operator',
      expression: `not is_unlisted_by_operator or state in ('unlisted', 'removed')`,
    },
  ],
});

/**
 * A slug names one product for ever and never has the shape of an id.
 * Grows with changes of slugs; kept for good, except those of a deleted draft.
 */
export const ProductSlug = defineEntity({
  name: 'ProductSlug',
  properties: {
    slug: p.text().primary(),
    productId: () => p.manyToOne(Product).mapToPk().joinColumn('product_id'),
    isCurrent: p.boolean().default(true),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
  indexes: [
    { name: 'product_slug_product', properties: ['productId'] },
    {
      name: 'product_slug_start',
      columns: [{ name: 'slug', collation: 'C' }],
      where: `is_current`,
    },
  ],
  uniques: [{ name: 'product_slug_current', properties: ['productId'], where: `is_current` }],
  checks: [
    {
      name: 'product_slug_slug_check',
      expression: `slug ~ '^[a-z0-9][a-z0-9-]{1,46}[a-z0-9]$' and slug !~ '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'`,
    },
  ],
});

/**
 * The spans in which a product was Included with Member: a trigger of `product` opens and closes
 * them. Grows with switches of Included; kept for good.
 */
export const IncludedSpan = defineEntity({
  name: 'IncludedSpan',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    productId: () => p.manyToOne(Product).mapToPk().joinColumn('product_id'),
    startedAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    endedAt: p.datetime(3).strictNullable(),
  },
  indexes: [{ name: 'included_span_product', properties: ['productId'] }],
  uniques: [{ name: 'included_span_open', properties: ['productId'], where: `ended_at is null` }],
});

/**
 * The payout account of a lone builder or a team: one is current. A replaced one stays, because
 * the processor goes on to report its payouts.
 * Grows with owners that sell, and with replacements; kept for good.
 */
export const PayoutAccount = defineEntity({
  name: 'PayoutAccount',
  properties: {
    id: p.uuid().primary(),
    personId: () => p.manyToOne(Person).mapToPk().joinColumn('person_id').strictNullable(),
    teamId: () => p.manyToOne(Team).mapToPk().joinColumn('team_id').strictNullable(),
    processorAccount: p.text().unique(),
    canCharge: p.boolean(),
    /** The owner has answered all of the processor's questions. */
    isSubmitted: p.boolean().default(false),
    /** The instant at which the processor was last asked. */
    checkedAt: p.datetime(3).strictNullable(),
    /** The instant of the latest payout that has arrived or failed. */
    payoutSeenAt: p.datetime(3).strictNullable(),
    /** The processor's id of that payout, if it failed. */
    failedPayoutId: p.text().strictNullable(),
    failedPayoutMinor: p.bigint('number').strictNullable(),
    failedPayoutCurrency: p.character().length(3).strictNullable(),
    failedPayoutReason: p.text().strictNullable(),
    /** The instant at which an operator said yes to the owner's first payout of the pool. */
    poolConfirmedAt: p.datetime(3).strictNullable(),
    poolConfirmedBy: () =>
      p.manyToOne(Person).mapToPk().joinColumn('pool_confirmed_by').strictNullable(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    /** The account gets nothing new after this instant. */
    replacedAt: p.datetime(3).strictNullable(),
  },
  uniques: [
    { name: 'payout_account_person', properties: ['personId'], where: `replaced_at is null` },
    { name: 'payout_account_team', properties: ['teamId'], where: `replaced_at is null` },
  ],
  checks: [
    { name: 'payout_account_one_owner', expression: `num_nonnulls(person_id, team_id) = 1` },
    {
      name: 'payout_account_failed_payout',
      expression: `num_nonnulls(failed_payout_id, failed_payout_minor, failed_payout_currency, failed_payout_reason) in (0, 4)`,
    },
    {
      name: 'payout_account_pool_confirmed',
      expression: `num_nonnulls(pool_confirmed_at, pool_confirmed_by) in (0, 2)`,
    },
  ],
});
