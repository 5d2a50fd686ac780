import { defineEntity, p } from '@mikro-orm/core';
import { CATEGORIES, type Platform } from './listing-words.ts';
import { Product } from './product.entity.ts';

/**
 * The store's longer text of a product. Checks, deliveries and authentication read `product`, so a
 * description there would push those small rows out of memory.
 * A product without a row has version 0 and an empty listing.
 * Grows with described products; kept for good.
 */
export const Listing = defineEntity({
  name: 'Listing',
  properties: {
    productId: () => p.manyToOne(Product).mapToPk().joinColumn('product_id').primary(),
    /** Markdown as the seller wrote it. */
    description: p.text().strictNullable(),
    /** The description as pages show it, sanitised when it was saved. */
    descriptionHtml: p.text().strictNullable(),
    category: p.enum(CATEGORIES).strictNullable(),
    platforms: p.array().$type<Platform[]>().defaultRaw(`'{}'`),
    tags: p.array().defaultRaw(`'{}'`),
    docsUrl: p.text().strictNullable(),
    supportUrl: p.text().strictNullable(),
    sourceUrl: p.text().strictNullable(),
    changelogUrl: p.text().strictNullable(),
    /** The email address or the page at which customers reach the seller. */
    supportAddress: p.text().strictNullable(),
    /** Counts saved changes of the whole form, name and addresses included. */
    version: p.integer().default(1),
    changedAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
  checks: [
    {
      name: 'listing_description_check',
      expression: `length(description) <= 20000 and octet_length(description) <= 32768`,
    },
    {
      name: 'listing_description_rendered',
      expression: `(description is null) = (description_html is null)`,
    },
    { name: 'listing_platforms_check', expression: `cardinality(platforms) <= 8` },
    { name: 'listing_tags_check', expression: `cardinality(tags) <= 12` },
    {
      name: 'listing_docs_url_check',
      expression: `docs_url ~ '^https?://' and length(docs_url) <= 2048`,
    },
    {
      name: 'listing_support_url_check',
      expression: `support_url ~ '^https?://' and length(support_url) <= 2048`,
    },
    {
      name: 'listing_source_url_check',
      expression: `source_url ~ '^https?://' and length(source_url) <= 2048`,
    },
    {
      name: 'listing_changelog_url_check',
      expression: `changelog_url ~ '^https?://' and length(changelog_url) <= 2048`,
    },
    { name: 'listing_support_address_check', expression: `length(support_address) <= 2048` },
    { name: 'listing_version_check', expression: `version >= 1` },
  ],
});
