import { defineEntity, p } from '@mikro-orm/core';
import { FIGURE_KINDS } from './figure-kind.ts';

/**
 * A figure of a product on a day of UTC, by which its overview is drawn. `sumProductFigures` makes
 * it from other tables. There is no foreign key: to write it must not wait for a product's lock, and
 * the sums of all products stand under the id of none.
 * Grows with products that have any figure on a day; kept for 400 days; removed by
 * `removeOldFigures`.
 */
export const ProductFigure = defineEntity({
  name: 'ProductFigure',
  properties: {
    productId: p.uuid().primary(),
    day: p.date().primary(),
    kind: p.enum(FIGURE_KINDS).primary(),
    /** The currency of money; `XXX`, no currency, of all else. */
    currency: p.character().length(3).primary(),
    count: p.bigint('number'),
    /** Is zero of what is no money. */
    sumMinor: p.bigint('number'),
  },
  indexes: [{ name: 'product_figure_day', properties: ['day'] }],
  checks: [
    {
      name: 'product_figure_currency',
      expression: `(kind in ('sales', 'refunds')) = (currency <> 'XXX')`,
    },
  ],
});
