import type { Category, Platform } from '../../../domain/catalog/listing-words.ts';
import type { Look } from './draw.ts';

/** What the page of a product says and shows. */
export type StoreListing = {
  category: Category;
  platforms: Platform[];
  tags: string[];
  /** The description lists these sentences. */
  does: string[];
  look: Look;
};

export type StoreProduct = StoreListing & {
  slug: string;
  name: string;
  tagline: string;
  /** The handle of a maker. */
  owner: string;
  /** Minor units of USD. */
  usd: number;
  isIncluded?: true;
};
