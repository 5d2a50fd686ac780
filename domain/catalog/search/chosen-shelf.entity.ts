import { defineEntity, p } from '@mikro-orm/core';

/**
 * A shelf of the store's first page that an operator has filled. Products are named by their ids: one
 * that is not listed any more is left out when the shelf is shown.
 * Grows with places for such shelves, which are two; kept until the shelf is emptied; removed by
 * `setChosenShelf`.
 */
export const ChosenShelf = defineEntity({
  name: 'ChosenShelf',
  properties: {
    place: p.smallint().primary().autoincrement(false),
    title: p.text(),
    productIds: p.array().columnType('uuid[]'),
    changedAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
  checks: [
    { name: 'chosen_shelf_place_check', expression: `place >= 1 and place <= 2` },
    {
      name: 'chosen_shelf_title_check',
      expression: `length(title) >= 1 and length(title) <= 60`,
    },
    {
      name: 'chosen_shelf_product_ids_check',
      expression: `cardinality(product_ids) >= 1 and cardinality(product_ids) <= 12`,
    },
  ],
});
