import { defineEntity, p } from '@mikro-orm/core';
import { Person } from '../../identity/person.entity.ts';

const PERIOD_STATUSES = [
  'open',
  'frozen',
  'computed',
  'in_review',
  'approved',
  'paying',
  'paid',
  'empty',
] as const;

/**
 * The pool of one month and one currency of Member's charges.
 * Grows with months and currencies; kept for good.
 */
export const PoolPeriod = defineEntity({
  name: 'PoolPeriod',
  properties: {
    /** `2026-11:EUR`. */
    id: p.text().primary(),
    /** The month's first day. */
    month: p.date(),
    currency: p.character().length(3),
    status: p.enum(PERIOD_STATUSES).default('open'),
    rule: p.text(),
    /** Set when the month is frozen: what was in force at its end. */
    poolShareBps: p.integer().strictNullable(),
    /** Names the Members and products of the snapshot; null once it is erased, after 24 months. */
    encryptedKey: p.text().strictNullable(),
    freezeDueAt: p.datetime(3),
    /** Facts that came later are corrections of a later period. */
    freezeBeganAt: p.datetime(3).strictNullable(),
    frozenAt: p.datetime(3).strictNullable(),
    snapshotSha256: p.character().length(64).strictNullable(),
    computedAt: p.datetime(3).strictNullable(),
    statementSha256: p.character().length(64).strictNullable(),
    /** This column and the next three count the month and what it corrects of earlier ones. */
    feesMinor: p.bigint('number').strictNullable(),
    platformMinor: p.bigint('number').strictNullable(),
    productsMinor: p.bigint('number').strictNullable(),
    unattributedMinor: p.bigint('number').strictNullable(),
    members: p.integer().strictNullable(),
    membersWithoutDays: p.integer().strictNullable(),
    approvedAt: p.datetime(3).strictNullable(),
    approvedBy: () => p.manyToOne(Person).mapToPk().joinColumn('approved_by').strictNullable(),
    paidAt: p.datetime(3).strictNullable(),
    /** Why the period does not go on, in words for operators. */
    problem: p.text().strictNullable(),
  },
  indexes: [{ name: 'pool_period_unpaid', properties: ['freezeDueAt'], where: `paid_at is null` }],
  uniques: [{ name: 'pool_period_month_currency', properties: ['month', 'currency'] }],
  checks: [
    {
      name: 'pool_period_id_check',
      expression: `id ~ '^2[0-9]{3}-[0-9]{2}:[A-Z]{3}$'`,
    },
    {
      name: 'pool_period_pool_share_bps_check',
      expression: `pool_share_bps >= 0 and pool_share_bps <= 10000`,
    },
    {
      name: 'pool_period_frozen',
      expression: `status in ('open', 'empty') or num_nonnulls(pool_share_bps, frozen_at, snapshot_sha256) = 3`,
    },
    {
      name: 'pool_period_computed',
      expression: `status in ('open', 'empty', 'frozen') or num_nonnulls(computed_at, statement_sha256, fees_minor, platform_minor, products_minor, unattributed_minor, members, members_without_days) = 8`,
    },
    {
      name: 'pool_period_balanced',
      expression: `fees_minor = platform_minor + products_minor + unattributed_minor`,
    },
  ],
});

export const POOL_FILES = ['snapshot', 'statement'] as const;

/**
 * A part of a gzip file of a period.
 * Grows with Members and products of a period; kept for good: without the period's key nobody knows
 * whom it is about.
 */
export const PoolFilePart = defineEntity({
  name: 'PoolFilePart',
  properties: {
    periodId: () => p.manyToOne(PoolPeriod).mapToPk().joinColumn('period_id').primary(),
    file: p.enum(POOL_FILES).primary(),
    number: p.integer().primary(),
    bytes: p.blob(),
  },
});

/**
 * What the snapshot holds of a Member, under the period's id of the Member.
 * Grows with Members of a period; kept for 24 months; removed by `erasePoolKeys`.
 */
export const PoolMember = defineEntity({
  name: 'PoolMember',
  properties: {
    periodId: () => p.manyToOne(PoolPeriod).mapToPk().joinColumn('period_id').primary(),
    /** HMAC-SHA-256 of the person's id under the period's key. */
    member: p.blob().primary(),
    netMinor: p.bigint('number'),
    productIds: p.array().columnType('uuid[]'),
    /** The qualified days of each product, in the same order. */
    days: p.array<number>().columnType('smallint[]'),
  },
  checks: [
    {
      name: 'pool_member_days_check',
      expression: `cardinality(product_ids) = cardinality(days)`,
    },
    { name: 'pool_member_net_minor_check', expression: `net_minor >= 0` },
  ],
});

/**
 * What a later period corrects of a Member's frozen month.
 * Grows with refunds and exclusions of frozen months; kept for 24 months; removed by `erasePoolKeys`.
 */
export const PoolCorrection = defineEntity({
  name: 'PoolCorrection',
  properties: {
    /** The period that pays the correction. */
    periodId: () => p.manyToOne(PoolPeriod).mapToPk().joinColumn('period_id').primary(),
    correctedId: () => p.manyToOne(PoolPeriod).mapToPk().joinColumn('corrected_id').primary(),
    /** The Member's code in the corrected period. */
    member: p.blob().primary(),
    netMinorBefore: p.bigint('number'),
    netMinorAfter: p.bigint('number'),
    productIds: p.array().columnType('uuid[]'),
    daysBefore: p.array<number>().columnType('smallint[]'),
    daysAfter: p.array<number>().columnType('smallint[]'),
  },
  indexes: [{ name: 'pool_correction_corrected', properties: ['correctedId', 'member'] }],
  checks: [
    { name: 'pool_correction_earlier', expression: `corrected_id < period_id` },
    {
      name: 'pool_correction_days_check',
      expression: `cardinality(product_ids) = cardinality(days_before) and cardinality(product_ids) = cardinality(days_after)`,
    },
  ],
});

/** A month as it would be paid if it ended now: its sums, and the line of each product. */
export type PreviewFigures = {
  poolShareBps: number;
  feesMinor: string;
  platformMinor: string;
  productsMinor: string;
  unattributedMinor: string;
  members: number;
  membersWithoutDays: number;
  products: { productId: string; amountMinor: string; members: number; qualifiedDays: number }[];
};

/**
 * The last preview of a month that is not frozen yet.
 * Grows with periods; kept until the month is frozen or closed as empty; removed by `removePreview`.
 */
export const PoolPreview = defineEntity({
  name: 'PoolPreview',
  properties: {
    periodId: () => p.manyToOne(PoolPeriod).mapToPk().joinColumn('period_id').primary(),
    requestedAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    /** Is null while the preview is made. */
    computedAt: p.datetime(3).strictNullable(),
    figures: p.json<PreviewFigures>().strictNullable(),
  },
});

/**
 * The pool's part of the fees and the smallest payout: the newest row counts, earlier rows are their
 * history.
 * Grows with changes of the settings; kept for good.
 */
export const PoolSetting = defineEntity({
  name: 'PoolSetting',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    poolShareBps: p.integer(),
    minimumMinor: p.bigint('number'),
    since: p.datetime(3).defaultRaw('gatehouse_now()'),
    /** Is null for the initial settings. */
    setBy: () => p.manyToOne(Person).mapToPk().joinColumn('set_by').strictNullable(),
  },
  checks: [
    {
      name: 'pool_setting_pool_share_bps_check',
      expression: `pool_share_bps >= 0 and pool_share_bps <= 10000`,
    },
    { name: 'pool_setting_minimum_minor_check', expression: `minimum_minor >= 1` },
  ],
});
