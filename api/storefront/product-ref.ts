import type pg from 'pg';
import { z } from 'zod';
import type { ProductView } from '../../domain/catalog/product.repository.ts';
import { findOffering, type Offering } from '../../domain/catalog/offering.query.ts';
import { parseUuid } from '../../domain/shared/ids.ts';
import type { Services } from '../services.ts';
import { given, uuid } from '../http/fields.ts';

const SLUG = /^[a-z0-9-]{3,48}$/;

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
export const storePlace = uuid().toLowerCase().nullable().default(null).catch(null);

/** A reference that is neither an id nor a slug is not looked up. */
export function isReference(ref: string): boolean {
  return SLUG.test(ref) || parseUuid(ref) !== null;
}

/** By UUID or by any slug it ever had. */
export async function findReferred(
  { database }: Services,
  ref: string,
): Promise<ProductView | null> {
  return (await findReferredOffering(database.pool, ref))?.product ?? null;
}

/** The product with its prices. */
export async function findReferredOffering(pool: pg.Pool, ref: string): Promise<Offering | null> {
  return isReference(ref) ? findOffering(pool, ref) : null;
}

/** Where the page of a product is: by its current slug, or by its UUID for a link by the UUID. */
export function pagePath(ref: string, { slug }: ProductView): string {
  return `/p/${parseUuid(ref) ?? slug}`;
}

export function isHidden({ state }: ProductView): boolean {
  return state === 'draft' || state === 'removed';
}
