import { defineEntity, p } from '@mikro-orm/core';

const PRODUCT_STATES = ['draft', 'listed', 'unlisted', 'removed'] as const;
const DELIVERY_KINDS = ['entitlement_api', 'external_store', 'affiliate'] as const;

export const Product = defineEntity({
  name: 'Product',
  properties: {
    id: p.uuid().primary(),
    ownerPersonId: p.uuid().strictNullable(),
    ownerTeamId: p.uuid().strictNullable(),
    name: p.text(),
    tagline: p.text(),
    state: p.enum(PRODUCT_STATES).default('draft'),
    delivery: p.enum(DELIVERY_KINDS).default('entitlement_api'),
    includedWithMember: p.boolean().default(false),
    listedAt: p.datetime(3).strictNullable(),
    /** The seller of record; the person's rights are checked at each read. */
    commercialOperatorId: p.uuid().strictNullable(),
    /** Set when all access to a removed product is withdrawn. */
    settledAt: p.datetime(3).strictNullable(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
});

export const ProductSlug = defineEntity({
  name: 'ProductSlug',
  properties: {
    slug: p.text().primary(),
    productId: p.uuid(),
    isCurrent: p.boolean().default(true),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
});

/** The payout account of a lone builder or a team. */
export const PayoutAccount = defineEntity({
  name: 'PayoutAccount',
  properties: {
    id: p.uuid().primary(),
    personId: p.uuid().strictNullable().unique(),
    teamId: p.uuid().strictNullable().unique(),
    processorAccount: p.text(),
    canCharge: p.boolean(),
    /** The owner has answered all of the processor's questions. */
    isSubmitted: p.boolean().default(false),
    /** When the processor was last asked. */
    checkedAt: p.datetime(3).strictNullable(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
});
