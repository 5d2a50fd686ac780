import { defineEntity, p } from '@mikro-orm/core';
import { CATEGORIES, type Platform } from '../listing-words.ts';
import { Product } from '../product.entity.ts';

/**
 * What the store's search reads of a listed product: `indexProducts` writes it in the transaction of
 * each change.
 * Grows with listed products; kept while the product is listed; removed by `indexProducts`.
 */
export const ProductSearch = defineEntity({
  name: 'ProductSearch',
  properties: {
    productId: () => p.manyToOne(Product).mapToPk().joinColumn('product_id').primary(),
    /** The name as it is compared: lower case, without accents and punctuation. */
    name: p.text(),
    /** The words of the name; of name, tagline and tags; of all texts, with their English stems. */
    nameWords: p.text().columnType('tsvector'),
    lineWords: p.text().columnType('tsvector'),
    words: p.text().columnType('tsvector'),
    category: p.enum(CATEGORIES).strictNullable(),
    platforms: p.array().$type<Platform[]>(),
    isIncluded: p.boolean(),
    isSealed: p.boolean(),
    /** The logarithm of the people with a qualified day within 30 days, as of last night. */
    popularity: p.smallint().default(0),
    listedAt: p.datetime(3),
  },
  indexes: [
    { name: 'product_search_name', properties: ['name'] },
    {
      name: 'product_search_similar',
      expression: `create index product_search_similar on product_search using gist (name gist_trgm_ops(siglen = 64))`,
    },
    {
      name: 'product_search_name_words',
      expression: `create index product_search_name_words on product_search using gin (name_words)`,
    },
    {
      name: 'product_search_line_words',
      expression: `create index product_search_line_words on product_search using gin (line_words)`,
    },
    {
      name: 'product_search_words',
      expression: `create index product_search_words on product_search using gin (words)`,
    },
    {
      name: 'product_search_popular',
      columns: [
        { name: 'popularity', sort: 'desc' },
        { name: 'listed_at', sort: 'desc' },
        { name: 'product_id' },
      ],
    },
    {
      name: 'product_search_category',
      columns: [
        { name: 'category' },
        { name: 'popularity', sort: 'desc' },
        { name: 'listed_at', sort: 'desc' },
        { name: 'product_id' },
      ],
    },
    {
      name: 'product_search_new',
      columns: [{ name: 'listed_at', sort: 'desc' }, { name: 'product_id' }],
    },
  ],
});
