import { rows, type EntityManager } from '../../platform/database/database.ts';
import type { ProductView } from './product.repository.ts';

export const STATES_SHOWN = ['all', 'draft', 'listed', 'unlisted', 'removed'] as const;

/** A product in the operators' list. */
export type ProductLine = Pick<
  ProductView,
  'id' | 'slug' | 'name' | 'state' | 'delivery' | 'sellerName'
> & { owner: string | null };

const PAGE = 50;

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
): Promise<{ products: ProductLine[]; next: string | null }> {
  const later = `and s.slug collate "C" >
    (select slug from product_slug where product_id = ? and is_current)`;
  const found = await rows<ProductLine>(
    em,
    `select p.id, s.slug, p.name, p.state, p.delivery, coalesce(t.name, o.display_name) as "sellerName",
       o.handle as owner
     from product_slug s join product p on p.id = s.product_id
     left join person o on o.id = p.owner_person_id
     left join team t on t.id = p.owner_team_id
     where s.is_current and s.slug collate "C" between ? and ? || '~'
       ${state === 'all' ? '' : 'and p.state = ?'} ${after === null ? '' : later}
     order by s.slug collate "C" limit ?`,
    [slug, slug, ...(state === 'all' ? [] : [state]), ...(after === null ? [] : [after]), PAGE + 1],
  );
  const products = found.slice(0, PAGE);
  return { products, next: found.length > PAGE ? products.at(-1)!.id : null };
}

export type ProductCounts = { draft: number; listed: number; unlisted: number };

export async function countProducts(em: EntityManager): Promise<ProductCounts> {
  const [counts] = await rows<ProductCounts>(
    em,
    `select count(*) filter (where state = 'draft')::int as draft,
       count(*) filter (where state = 'listed')::int as listed,
       count(*) filter (where state = 'unlisted')::int as unlisted
     from product`,
  );
  return counts!;
}
