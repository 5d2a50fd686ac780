import { defineEntity, p } from '@mikro-orm/core';
import { Product } from '../product.entity.ts';
import { PICTURE_KINDS } from './picture.ts';

/**
 * A picture in one width. Several products may show it.
 * Grows with pictures, four rows each; kept until `removeAfter`, when no product shows it; removed by
 * `removeUnusedImages`, and by `removeImages` with the last product that showed it. The rows of an
 * upload that an operator took down stay, without bytes: they keep a later upload from bringing it
 * back.
 */
export const Image = defineEntity({
  name: 'Image',
  properties: {
    /** Hashes the upload and its kind, not these bytes. */
    hash: p.text().primary(),
    /** A picture that is narrower has its own width. */
    width: p.smallint().primary(),
    /** WebP. */
    bytes: p.blob().strictNullable(),
    /** The hash of the same upload as the other kind: an icon is cut to a square. */
    otherHash: p.text(),
    /** A product has stopped showing it; another one may still do. */
    removeAfter: p.datetime(3).strictNullable(),
    takenDownAt: p.datetime(3).strictNullable(),
  },
  indexes: [
    { name: 'image_unused', properties: ['removeAfter'], where: `remove_after is not null` },
  ],
  checks: [
    { name: 'image_hash_check', expression: `hash ~ '^[0-9a-f]{32}$'` },
    { name: 'image_other_hash_check', expression: `other_hash ~ '^[0-9a-f]{32}$'` },
    { name: 'image_width_check', expression: `width in (1600, 1200, 640, 256)` },
    { name: 'image_taken_down', expression: `(bytes is null) = (taken_down_at is not null)` },
    {
      name: 'image_taken_down_for_good',
      expression: `num_nonnulls(remove_after, taken_down_at) < 2`,
    },
  ],
});

/**
 * What a product shows: its icon at position 0, and screenshots behind it.
 * No foreign key leads to `image`, whose key has the width too: who shows a picture holds its rows.
 * Grows with products, at most nine each; kept until it is replaced; removed by `savePictures`, with
 * the product too, and by `hideImages` when an operator takes the picture down.
 */
export const ProductImage = defineEntity({
  name: 'ProductImage',
  properties: {
    productId: () => p.manyToOne(Product).mapToPk().joinColumn('product_id').primary(),
    position: p.smallint().primary(),
    kind: p.enum(PICTURE_KINDS),
    hash: p.text(),
    /** What a screenshot shows, in words; the icon is decoration. */
    alt: p.text(),
  },
  uniques: [{ name: 'product_image_hash', properties: ['hash', 'productId'] }],
  checks: [
    { name: 'product_image_position_check', expression: `position >= 0 and position <= 8` },
    { name: 'product_image_kind', expression: `(kind = 'icon') = (position = 0)` },
    { name: 'product_image_hash_check', expression: `hash ~ '^[0-9a-f]{32}$'` },
    { name: 'product_image_alt_check', expression: `length(alt) <= 200` },
  ],
});
