// Changes of what the store says of a product: its text and its slug.
import { inTransaction, type EntityManager } from '../../platform/database/database.ts';
import { renderMarkdown } from '../../platform/markdown.ts';
import { recordAudit, type Actor } from '../audit/audit.repository.ts';
import { isRefusal, refuse, type Refusal } from '../shared/refusal.ts';
import { decideProductRights, type RightsRefusal } from '../teams/suspension.ts';
import {
  isIntegrated,
  loadListing,
  saveListing,
  type ListingForm,
  type ProductListing,
} from './listing.repository.ts';
import { lockProduct } from './product-lifecycle.repository.ts';
import { Product, ProductSlug } from './product.entity.ts';
import { holdManagedProduct, type ActingManager, type ProductView } from './product.repository.ts';
import { indexProducts } from './search/index-products.repository.ts';

/** Who edits a listing, by the rights of the moment. */
export type Editor = Actor & Pick<ActingManager, 'personId' | 'isOperator'>;

/** Holds the rights of an editor and locks the product: a role may be lost in between. */
export async function lockForEditing(
  em: EntityManager,
  { productId, by }: { productId: string; by: Editor },
): Promise<
  { teamId: string | null; state: ProductView['state'] } | Refusal<RightsRefusal | 'removed'>
> {
  const held = await holdManagedProduct(em, { manager: by, productId });
  const managed = decideProductRights(held, 'edit_listing');
  if (isRefusal(managed)) return managed;
  const product = await lockProduct(em, productId);
  return product ? { teamId: managed.ownerTeamId, state: product.state } : refuse('removed');
}

type ProductChange = { productId: string; teamId: string | null; by: Actor };

type ListingChange = ProductChange & {
  text: ListingForm;
  /** The version that the writer had read. */
  version: number;
};

/**
 * Changes the listing, unless another writer has saved a later version: of two writers the lock
 * decides. The delivery changes only in a draft with nothing built on it.
 */
export async function changeListing(
  em: EntityManager,
  { productId, teamId, by, text, version }: ListingChange,
): Promise<{ changed: boolean } | Refusal<'removed' | 'delivery_fixed' | 'stale'>> {
  const { description } = text;
  const descriptionHtml = description === null ? null : renderMarkdown(description);
  return inTransaction(em, async (em) => {
    const product = await lockProduct(em, productId);
    if (!product) return refuse('removed');
    const before = await loadListing(em, productId);
    const detail = listChanges(before, text);
    // What is saved already is no conflict: a form that is sent twice is saved once.
    if (Object.keys(detail).length === 0) return { changed: false };
    if (version !== before.version) return refuse('stale');
    if (text.delivery !== before.delivery) {
      const isFixed = product.state !== 'draft' || (await isIntegrated(em, productId));
      if (isFixed) return refuse('delivery_fixed');
    }
    const { name, tagline, delivery, websiteUrl, signInUrl, refundTerms, ...listed } = text;
    const short = { name, tagline, delivery, websiteUrl, signInUrl, refundTerms };
    await em.nativeUpdate(Product, { id: productId }, short);
    const saved = { text: { ...listed, descriptionHtml }, version: version + 1 };
    await saveListing(em, { productId, ...saved });
    await indexProducts(em, [productId]);
    const entry = { action: 'product.changed', subject: productId, detail } as const;
    await recordAudit(em, { by, productId, teamId, ...entry });
    return { changed: true };
  });
}

/** Names the fields that differ, with their new values. */
function listChanges(before: ProductListing, text: ListingForm) {
  const changed = (Object.keys(text) as (keyof ListingForm)[]).filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(text[field]),
  );
  return Object.fromEntries(changed.map((field) => [field, writeForAudit(field, text)]));
}

/** The trail is kept for good: it holds no long text and no email address. */
function writeForAudit(field: keyof ListingForm, text: ListingForm) {
  if (field === 'description' && text.description !== null) {
    return `${[...text.description].length} characters`;
  }
  const value = text[field];
  return field === 'supportAddress' && text.supportAddress?.includes('@')
    ? 'an email address'
    : value;
}

const MOST_SLUGS = 20;

/**
 * Changes the slug. The earlier slugs keep leading to the product, and it may return to one of them.
 * The primary key decides whether a slug belongs to another product.
 */
export async function changeSlug(
  em: EntityManager,
  { productId, teamId, by, slug }: ProductChange & { slug: string },
): Promise<{ before: string } | Refusal<'removed' | 'same' | 'slug_taken' | 'too_many'>> {
  return inTransaction(em, async (em) => {
    if (!(await lockProduct(em, productId))) return refuse('removed');
    const product = await em.findOneOrFail(Product, productId, { populate: ['slugs'] });
    const slugs = product.slugs.getItems();
    const current = slugs.find(({ isCurrent }) => isCurrent)!;
    const before = current.slug;
    if (before === slug) return refuse('same');
    if (slugs.length >= MOST_SLUGS && !slugs.some((each) => each.slug === slug)) {
      return refuse('too_many');
    }
    const reserved = await em.upsert(
      ProductSlug,
      { slug, productId, isCurrent: false },
      { onConflictAction: 'ignore' },
    );
    if (reserved.productId !== productId) return refuse('slug_taken');
    current.isCurrent = false;
    await em.flush(); // the index allows one current slug
    reserved.isCurrent = true;
    const entry = { action: 'product.slug_changed', subject: productId } as const;
    await recordAudit(em, { by, productId, teamId, ...entry, detail: { from: before, to: slug } });
    return { before };
  });
}
