import type { EntityManager } from '../../platform/database/database.ts';
import { NOW } from '../../platform/database/expressions.ts';
import { kysely } from '../kysely.ts';
import { type Refusal, refuse } from '../shared/refusal.ts';
import { hasSoldPrice } from './prices/price-list.repository.ts';
import { Product, ProductSlug } from './product.entity.ts';
import type { ProductView } from './product.repository.ts';
import { holdPerson } from '../identity/account.repository.ts';

type State = ProductView['state'];

type LockedProduct = ProductText & Pick<ProductView, 'state'> & { isUnlistedByOperator: boolean };

/** Changes of a product wait here for each other; null when it is removed. */
export async function lockProduct(
  em: EntityManager,
  productId: string,
): Promise<LockedProduct | null> {
  const locked = await kysely(em)
    .selectFrom('product')
    .select(['name', 'tagline', 'state', 'delivery', 'websiteUrl', 'signInUrl'])
    .select(['refundTerms', 'isUnlistedByOperator'])
    .where('id', '=', productId)
    .where('state', '<>', 'removed')
    .forNoKeyUpdate()
    .executeTakeFirst();
  return locked ?? null;
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

/**
 * A product that is sold here needs a base price, which then stays: pricing waits for the same
 * lock. What an operator unlisted, only an operator lists.
 */
export async function listProduct(
  em: EntityManager,
  productId: string,
  isByOperator = false,
): Promise<{ before: State } | Refusal<'unchanged' | 'no_price' | 'by_operator'>> {
  const product = await lockProduct(em, productId);
  if (!product || product.state === 'listed') return refuse('unchanged');
  if (product.isUnlistedByOperator && !isByOperator) return refuse('by_operator');
  const isSoldHere = product.delivery === 'entitlement_api';
  if (isSoldHere && !(await hasSoldPrice(em, productId))) return refuse('no_price');
  await kysely(em)
    .updateTable('product')
    .set(({ fn }) => ({ state: 'listed', listedAt: fn.coalesce('listedAt', NOW) }))
    .set({ isUnlistedByOperator: false })
    .where('id', '=', productId)
    .execute();
  return { before: product.state };
}

/** Existing access stays. An operator also keeps unlisted what its owner has just unlisted. */
export async function unlistProduct(
  em: EntityManager,
  productId: string,
  isByOperator = false,
): Promise<{ before: State } | Refusal<'unchanged'>> {
  const product = await lockProduct(em, productId);
  const isOwners = product?.state === 'unlisted' && !product.isUnlistedByOperator;
  if (product?.state !== 'listed' && !(isOwners && isByOperator)) return refuse('unchanged');
  const unlisted = { state: 'unlisted' as const, isUnlistedByOperator: isByOperator };
  await em.nativeUpdate(Product, { id: productId }, unlisted);
  return { before: product.state };
}

/**
 * Removal is final: keys, clients and tokens are refused and the page is gone. A background job
 * withdraws the access. A draft that was never listed frees its slugs.
 */
export async function removeProduct(
  em: EntityManager,
  productId: string,
): Promise<{ before: State } | Refusal<'unchanged'>> {
  const product = await lockProduct(em, productId);
  if (!product) return refuse('unchanged');
  const removed = { state: 'removed' as const, includedWithMember: false };
  await em.nativeUpdate(Product, { id: productId }, removed);
  if (product.state === 'draft') await releaseSlugs(em, productId);
  return { before: product.state };
}

/** Other products may take the slugs of the removed draft. */
async function releaseSlugs(em: EntityManager, productId: string): Promise<void> {
  await em.nativeDelete(ProductSlug, { productId, isCurrent: false });
  const slug = `gone-${productId.replaceAll('-', '')}`;
  await em.nativeUpdate(ProductSlug, { productId }, { slug });
}

type Switch = { productId: string; isIncluded: boolean };

/**
 * Every member may use an Included product from the commit on. Of two clicks one changes the
 * product; a product that was removed meanwhile stays excluded. A background job notifies the
 * activated members.
 */
export async function switchIncluded(
  em: EntityManager,
  { productId, isIncluded }: Switch,
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

export type ProductText = Pick<
  ProductView,
  'name' | 'tagline' | 'delivery' | 'websiteUrl' | 'signInUrl' | 'refundTerms'
>;

/** Returns the text before. The delivery changes only in a draft with nothing built on it. */
export async function changeProduct(
  em: EntityManager,
  { productId, ...text }: ProductText & { productId: string },
): Promise<{ before: ProductText } | Refusal<'removed' | 'delivery_fixed'>> {
  const product = await lockProduct(em, productId);
  if (!product) return refuse('removed');
  const { state, isUnlistedByOperator: _, ...before } = product;
  if (text.delivery !== before.delivery) {
    const isFixed = state !== 'draft' || (await isIntegrated(em, productId));
    if (isFixed) return refuse('delivery_fixed');
  }
  await em.nativeUpdate(Product, { id: productId }, text);
  return { before };
}

/** The product's delivery is promised to its keys, clients, endpoints, grants and members. */
async function isIntegrated(em: EntityManager, productId: string): Promise<boolean> {
  const integrated = await kysely(em)
    .selectFrom('product')
    .select('product.id')
    .where('product.id', '=', productId)
    .where(({ eb, exists, or, selectFrom }) =>
      or([
        eb('product.includedWithMember', '=', true),
        exists(
          selectFrom('apiKey as key')
            .select('key.id')
            .whereRef('key.productId', '=', 'product.id')
            .where('key.revokedAt', 'is', null),
        ),
        exists(
          selectFrom('oauthClient as client')
            .select('client.id')
            .whereRef('client.productId', '=', 'product.id')
            .where('client.deletedAt', 'is', null),
        ),
        exists(
          selectFrom('webhookEndpoint as endpoint')
            .select('endpoint.id')
            .whereRef('endpoint.productId', '=', 'product.id')
            .where('endpoint.deletedAt', 'is', null),
        ),
        exists(
          selectFrom('accessGrant as grant')
            .select('grant.id')
            .whereRef('grant.productId', '=', 'product.id'),
        ),
      ]),
    )
    .executeTakeFirst();
  return integrated !== undefined;
}

export type DeletedParty = 'person_deleted' | 'product_removed';

/**
 * Null while the person and the product exist; both then stay until the transaction ends. Call it
 * after the rows of subscription, access and purchase are locked. Member has no product.
 */
export async function findDeletedParty(
  em: EntityManager,
  { personId, productId }: { personId: string; productId: string | null },
): Promise<DeletedParty | null> {
  if (!(await holdPerson(em, personId))) return 'person_deleted';
  if (productId === null || (await holdProduct(em, productId))) return null;
  return 'product_removed';
}
