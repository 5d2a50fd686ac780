// Parameters that many routes share.
import { z } from 'zod';
import { cursor, given, uuid } from './fields.ts';

export const productRef = z.object({
  // Slugs have no capitals.
  ref: given(48)
    .toLowerCase()
    .meta({
      description: "The product's slug, an old slug of it, or its UUID",
      examples: ['pocket-synth'],
    }),
});

/** The product that a list of the store goes on after; any other text is the first page. */
export const storePlace = cursor(uuid().toLowerCase()).catch(null);

/** The id of the row that a page of a list starts after. */
export const place = cursor(uuid());
