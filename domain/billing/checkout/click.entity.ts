import { defineEntity, p } from '@mikro-orm/core';
import { Product } from '../../catalog/product.entity.ts';

/** Grows with visits of buy links; kept for 400 days; removed by `removeOldClicks`. */
export const Click = defineEntity({
  name: 'Click',
  properties: {
    id: p.uuid().primary(),
    productId: () => p.manyToOne(Product).mapToPk().joinColumn('product_id'),
    /** `buy-link:<campaign>`, or `buy-link` without a campaign. */
    source: p.text(),
    campaign: p.text().strictNullable(),
    raw: p.text().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
  indexes: [
    { name: 'click_created', properties: ['createdAt'] },
    { name: 'click_product', properties: ['productId', 'createdAt', 'id'] },
  ],
  checks: [
    { name: 'click_campaign_check', expression: `length(campaign) <= 24` },
    { name: 'click_raw_check', expression: `length(raw) <= 512` },
  ],
});
