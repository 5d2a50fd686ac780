import { defineEntity, p } from '@mikro-orm/core';
import { Product } from '../catalog/product.entity.ts';
import { Person } from '../identity/person.entity.ts';
import type { Criterion } from './criteria.ts';
import { LOSS_REASONS, SEAL_STATES } from './seal-state.ts';

const RESTORED_FROM = ['noticed', 'lost'] as const;

/**
 * The quality seal of a product, as the last review, unlisting or operator left it.
 * Grows with products that were reviewed; kept for good.
 */
export const Seal = defineEntity({
  name: 'Seal',
  properties: {
    productId: () => p.manyToOne(Product).mapToPk().joinColumn('product_id').primary(),
    state: p.enum(SEAL_STATES).default('none'),
    /** Failed reviews in a row while the seal is held. */
    failures: p.integer().default(0),
    heldSince: p.datetime(3).strictNullable(),
    noticedAt: p.datetime(3).strictNullable(),
    noticeEndsAt: p.datetime(3).strictNullable(),
    lostAt: p.datetime(3).strictNullable(),
    lossReason: p.enum(LOSS_REASONS).strictNullable(),
    /** The state that an operator restored the seal from, until the next review. */
    restoredFrom: p.enum(RESTORED_FROM).strictNullable(),
  },
  checks: [
    { name: 'seal_failures', expression: `failures >= 0` },
    { name: 'seal_lost', expression: `(state = 'lost') = (loss_reason is not null)` },
    {
      name: 'seal_noticed',
      expression: `state <> 'noticed' or notice_ends_at is not null`,
    },
    { name: 'seal_restored', expression: `restored_from is null or state = 'held'` },
  ],
});

/**
 * The review of a product in a week: each criterion as it was. A week has one review, however often
 * its workflow runs.
 * Grows with listed products, a row a week; kept for 400 days; removed by `removeOldSealRows`.
 */
export const SealReview = defineEntity({
  name: 'SealReview',
  properties: {
    productId: () => p.manyToOne(Product).mapToPk().joinColumn('product_id').primary(),
    /** The Monday on which the week begins: the review looks at the 90 days before it. */
    week: p.date().primary(),
    isPassed: p.boolean(),
    criteria: p.json<Criterion[]>(),
    /** The state in which the review left the seal. */
    state: p.enum(SEAL_STATES),
    reviewedAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
  indexes: [{ name: 'seal_review_old', properties: ['week'] }],
});

const APPEAL_OUTCOMES = ['restored', 'declined', 'closed'] as const;

/**
 * What the people of a product say against a notice or a loss.
 * Grows with appeals, one open at a time of a product; kept for good.
 */
export const SealAppeal = defineEntity({
  name: 'SealAppeal',
  properties: {
    id: p.uuid().primary(),
    productId: () => p.manyToOne(Product).mapToPk().joinColumn('product_id'),
    personId: () => p.manyToOne(Person).mapToPk().joinColumn('person_id'),
    text: p.text(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    outcome: p.enum(APPEAL_OUTCOMES).strictNullable(),
    answeredAt: p.datetime(3).strictNullable(),
    answeredBy: () => p.manyToOne(Person).mapToPk().joinColumn('answered_by').strictNullable(),
  },
  indexes: [
    { name: 'seal_appeal_product', properties: ['productId', 'createdAt'] },
    {
      name: 'seal_appeal_waiting',
      properties: ['createdAt', 'id'],
      where: `outcome is null`,
    },
  ],
  uniques: [{ name: 'seal_appeal_open', properties: ['productId'], where: `outcome is null` }],
  checks: [
    { name: 'seal_appeal_text_check', expression: `length(text) >= 1 and length(text) <= 2000` },
    {
      name: 'seal_appeal_answered',
      expression: `(outcome is null) = (answered_at is null)`,
    },
  ],
});

/**
 * What became of a product's own side of a day: first attempts of webhooks that it answered with
 * 2xx in time, and sign-in callbacks that it exchanged for a token. There is no foreign key: counts
 * must not wait for a lock of a product.
 * Grows with products that have webhooks or sign-ins on a day; kept for 120 days; removed by
 * `removeOldSealRows`.
 */
export const IntegrationCount = defineEntity({
  name: 'IntegrationCount',
  properties: {
    productId: p.uuid().primary(),
    day: p.date().primary(),
    firstAttempts: p.integer().default(0),
    firstSuccesses: p.integer().default(0),
    callbacks: p.integer().default(0),
    tokens: p.integer().default(0),
  },
  indexes: [{ name: 'integration_count_old', properties: ['day'] }],
});
