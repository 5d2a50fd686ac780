import { defineEntity, p } from '@mikro-orm/core';
import { Product } from '../product.entity.ts';

/** An import replaces the releases of an earlier import, never one written by hand. */
const RELEASE_SOURCES = ['hand', 'import'] as const;

/**
 * A version of a product, as its page lists it.
 * Grows with versions; kept up to 50 written by hand and 5 imported a product; removed by
 * `keepLatestReleases`.
 */
export const Release = defineEntity({
  name: 'Release',
  properties: {
    id: p.uuid().primary(),
    productId: () => p.manyToOne(Product).mapToPk().joinColumn('product_id'),
    version: p.text(),
    publishedAt: p.datetime(3).strictNullable(),
    /** Markdown as it was written. */
    notes: p.text().strictNullable(),
    /** The notes as pages show them, sanitised when they were saved. */
    notesHtml: p.text().strictNullable(),
    source: p.enum(RELEASE_SOURCES),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
  uniques: [{ name: 'release_version', properties: ['productId', 'version'] }],
  checks: [
    {
      name: 'release_version_check',
      expression: `length(version) >= 1 and length(version) <= 40`,
    },
    { name: 'release_notes_check', expression: `length(notes) <= 4000` },
    { name: 'release_notes_rendered', expression: `(notes is null) = (notes_html is null)` },
  ],
});
