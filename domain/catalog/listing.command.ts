// Changes of what the store says of a product: its text and its slug.
import { inTransaction, type EntityManager } from '../../platform/database/database.ts';
import { recordAudit, type Actor } from '../audit/audit.repository.ts';
import { refuse, type Refusal } from '../shared/refusal.ts';
import { isIntegrated, type ProductText } from './listing.repository.ts';
import { lockProduct } from './product-lifecycle.repository.ts';
import { Product, ProductSlug } from './product.entity.ts';

type ProductChange = { productId: string; teamId: string | null; by: Actor };

/** Changes the text. The delivery changes only in a draft with nothing built on it. */
export async function changeListing(
  em: EntityManager,
  { productId, teamId, by, text }: ProductChange & { text: ProductText },
): Promise<{ changed: true } | Refusal<'removed' | 'delivery_fixed'>> {
  return inTransaction(em, async (em) => {
    const before = await lockProduct(em, productId);
    if (!before) return refuse('removed');
    if (text.delivery !== before.delivery) {
      const isFixed = before.state !== 'draft' || (await isIntegrated(em, productId));
      if (isFixed) return refuse('delivery_fixed');
    }
    await em.nativeUpdate(Product, { id: productId }, text);
    const isNew = ([field, value]: [string, string | null]) =>
      before[field as keyof ProductText] !== value;
    const detail = Object.fromEntries(Object.entries(text).filter(isNew));
    if (Object.keys(detail).length > 0) {
      const entry = { action: 'product.changed', subject: productId, detail } as const;
      await recordAudit(em, { by, productId, teamId, ...entry });
    }
    return { changed: true };
  });
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
