import type { EntityManager } from '../../platform/database/database.ts';
import { NOW } from '../../platform/database/expressions.ts';
import { holdPerson } from '../identity/account.repository.ts';
import { kysely } from '../kysely.ts';
import { type Refusal, refuse } from '../shared/refusal.ts';
import { Product, ProductSlug } from './product.entity.ts';
import type { LifecycleState } from './product-lifecycle.ts';

/** Changes of a product wait here for each other; null when it is removed. */
export async function lockProduct(
  em: EntityManager,
  productId: string,
): Promise<LifecycleState | null> {
  const locked = await kysely(em)
    .selectFrom('product')
    .select(['state', 'delivery', 'isUnlistedByOperator'])
    .where('id', '=', productId)
    .where('state', '<>', 'removed')
    .forNoKeyUpdate()
    .executeTakeFirst();
  return locked ?? null;
}

/** Locks all products of an owner, in the order of their ids; changes of a product wait for it. */
export async function lockProductsOf(
  em: EntityManager,
  owner: { personId: string } | { teamId: string },
): Promise<string[]> {
  const products = kysely(em).selectFrom('product').select('id');
  const own =
    'teamId' in owner
      ? products.where('ownerTeamId', '=', owner.teamId)
      : products.where('ownerPersonId', '=', owner.personId);
  const locked = await own.orderBy('id').forNoKeyUpdate().execute();
  return locked.map(({ id }) => id);
}

export async function setListed(em: EntityManager, productId: string): Promise<void> {
  await kysely(em)
    .updateTable('product')
    .set(({ fn }) => ({ state: 'listed', listedAt: fn.coalesce('listedAt', NOW) }))
    .set({ isUnlistedByOperator: false })
    .where('id', '=', productId)
    .execute();
}

export async function setUnlisted(
  em: EntityManager,
  { productId, isByOperator }: { productId: string; isByOperator: boolean },
): Promise<void> {
  const unlisted = { state: 'unlisted' as const, isUnlistedByOperator: isByOperator };
  await em.nativeUpdate(Product, { id: productId }, unlisted);
}

/**
 * Removal is final: keys, clients and tokens are refused and the page is gone. A background job
 * withdraws the access. A draft that was never listed frees its slugs for other products.
 */
export async function setRemoved(
  em: EntityManager,
  { productId, isDraft }: { productId: string; isDraft: boolean },
): Promise<void> {
  const removed = { state: 'removed' as const, includedWithMember: false };
  await em.nativeUpdate(Product, { id: productId }, removed);
  if (!isDraft) return;
  await em.nativeDelete(ProductSlug, { productId, isCurrent: false });
  const slug = `gone-${productId.replaceAll('-', '')}`;
  await em.nativeUpdate(ProductSlug, { productId }, { slug });
}

/**
 * Every member may use an Included product from the commit on. Of two clicks one changes the
 * product; a product that was removed meanwhile stays excluded. A background job notifies the
 * activated members.
 */
export async function switchIncluded(
  em: EntityManager,
  { productId, isIncluded }: { productId: string; isIncluded: boolean },
): Promise<{ isIncluded: boolean } | Refusal<'unchanged'>> {
  const switched = await em.nativeUpdate(
    Product,
    {
      id: productId,
      includedWithMember: !isIncluded,
      state: { $ne: 'removed' },
      delivery: 'entitlement_api',
    },
    { includedWithMember: isIncluded },
  );
  return switched === 1 ? { isIncluded } : refuse('unchanged');
}

/** Keeps a product until the transaction ends; false when it is removed. */
async function holdProduct(em: EntityManager, productId: string): Promise<boolean> {
  const held = await kysely(em)
    .selectFrom('product')
    .select('id')
    .where('id', '=', productId)
    .where('state', '<>', 'removed')
    .forShare()
    .executeTakeFirst();
  return held !== undefined;
}

export type DeletedParty = 'person_deleted' | 'product_removed';

/**
 * Returns null while the person and the product exist; both then stay until the transaction ends.
 * The rows of subscription, access and purchase are locked before. Member has no product.
 */
export async function findDeletedParty(
  em: EntityManager,
  { personId, productId }: { personId: string; productId: string | null },
): Promise<DeletedParty | null> {
  if (!(await holdPerson(em, personId))) return 'person_deleted';
  if (productId === null || (await holdProduct(em, productId))) return null;
  return 'product_removed';
}
