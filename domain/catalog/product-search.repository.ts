import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/database.ts';
import { anyOf } from '../../platform/database/expressions.ts';
import { toPage } from '../../platform/database/to-page.ts';
import { kysely } from '../kysely.ts';
import { iconHashOf } from './pictures/picture.repository.ts';

export const STATES_SHOWN = ['all', 'draft', 'listed', 'unlisted', 'removed'] as const;

const PAGE = 50;

// The order of the index `product_slug_start`.
const SLUG = sql<string>`slug.slug collate "C"`;

const currentSlugOf = (em: EntityManager, productId: string) =>
  kysely(em)
    .selectFrom('productSlug')
    .select('slug')
    .where('productId', '=', productId)
    .where('isCurrent', '=', true);

/**
 * Lists products whose slug starts with the given text, by slug; `next` is the id of the last one
 * when others follow.
 */
export async function searchProducts(
  em: EntityManager,
  {
    state,
    slug,
    after,
  }: { state: (typeof STATES_SHOWN)[number]; slug: string; after: string | null },
) {
  const lines = kysely(em)
    .selectFrom('productSlug as slug')
    .innerJoin('product', 'product.id', 'slug.productId')
    .leftJoin('person as owner', 'owner.id', 'product.ownerPersonId')
    .leftJoin('team', 'team.id', 'product.ownerTeamId')
    .select(['product.id', 'slug.slug', 'product.name', 'product.state', 'product.delivery'])
    .select(['owner.handle as owner', 'product.isUnlistedByOperator'])
    .select(({ ref }) => iconHashOf(ref('product.id')).as('iconHash'))
    .select(({ fn }) =>
      fn.coalesce('team.name', 'owner.displayName').$castTo<string>().as('sellerName'),
    )
    .where('slug.isCurrent', '=', true)
    .where(({ between }) => between(SLUG, slug, `${slug}~`));
  const inState = state === 'all' ? lines : lines.where('product.state', '=', state);
  const later = after === null ? inState : inState.where(SLUG, '>', currentSlugOf(em, after));
  const found = await later
    .orderBy(SLUG)
    .limit(PAGE + 1)
    .execute();
  const page = toPage(found, PAGE, ({ id }) => id);
  return { products: page.lines, next: page.next };
}

export type ProductLine = Awaited<ReturnType<typeof searchProducts>>['products'][number];

export type ProductCounts = { draft: number; listed: number; unlisted: number };

export async function countProducts(em: EntityManager): Promise<ProductCounts> {
  return kysely(em)
    .selectFrom('product')
    .select(({ fn }) => [
      fn.countAll<number>().filterWhere('state', '=', 'draft').as('draft'),
      fn.countAll<number>().filterWhere('state', '=', 'listed').as('listed'),
      fn.countAll<number>().filterWhere('state', '=', 'unlisted').as('unlisted'),
    ])
    .executeTakeFirstOrThrow();
}

/** The current slugs, names and icons of products, by their ids. */
export async function listProductNames(
  em: EntityManager,
  productIds: readonly string[],
): Promise<Map<string, { slug: string; name: string; iconHash: string | null }>> {
  const found = await kysely(em)
    .selectFrom('product')
    .innerJoin('productSlug as slug', 'slug.productId', 'product.id')
    .select(['product.id', 'slug.slug', 'product.name'])
    .select(({ ref }) => iconHashOf(ref('product.id')).as('iconHash'))
    .where('slug.isCurrent', '=', true)
    .where('product.id', '=', anyOf(productIds))
    .execute();
  return new Map(found.map(({ id, ...named }) => [id, named]));
}
