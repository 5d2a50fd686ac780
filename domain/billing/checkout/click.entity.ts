import { defineEntity, p } from '@mikro-orm/core';

/** Grows with visits of buy links; kept for 400 days; dropped by `drop_partition` with their month. */
export const Click = defineEntity({
  name: 'Click',
  properties: {
    id: p.uuid().primary(),
    productId: p.uuid(),
    /** `buy-link:<campaign>`, or `buy-link` without a campaign. */
    source: p.text(),
    campaign: p.text().strictNullable(),
    raw: p.text().strictNullable(),
    /** A program that previews links clicked; such clicks are counted nowhere. */
    isAutomatic: p.boolean().default(false),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
  indexes: [{ name: 'click_product', properties: ['productId', 'createdAt', 'id'] }],
  checks: [
    { name: 'click_campaign_check', expression: `length(campaign) <= 24` },
    { name: 'click_raw_check', expression: `length(raw) <= 512` },
  ],
});
