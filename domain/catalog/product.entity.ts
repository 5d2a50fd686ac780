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
    /** Who answers for its sales; whether they may is judged when it is read. */
    commercialOperatorId: p.uuid().strictNullable(),
    /** Of a removed product: all access to it is withdrawn. */
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

/** Where the money of a lone builder or of a team goes. */
export const PayoutAccount = defineEntity({
  name: 'PayoutAccount',
  properties: {
    id: p.uuid().primary(),
    personId: p.uuid().strictNullable().unique(),
    teamId: p.uuid().strictNullable().unique(),
    processorAccount: p.text(),
    canCharge: p.boolean(),
    /** Its owner has told the processor all that it asked for. */
    isSubmitted: p.boolean().default(false),
    /** When the processor was last asked. */
    checkedAt: p.datetime(3).strictNullable(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
});
