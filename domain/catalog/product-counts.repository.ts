import { rows, type EntityManager } from '../../platform/database/database.ts';

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
