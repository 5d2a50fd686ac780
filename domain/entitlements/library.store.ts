import type pg from 'pg';
import { readAccess } from './access.store.ts';
import type { Union } from './union.ts';

export type LibraryItem = {
  productId: string;
  slug: string;
  name: string;
  hasPage: boolean;
  access: Union;
};

const CANDIDATES = `
  select p.id as "productId", s.slug, p.name, p.state in ('listed', 'unlisted') as "hasPage"
  from product p join product_slug s on s.product_id = p.id and s.is_current
  where p.id in (
    select product_id from entitlement where person_id = $1
    union
    select i.id from product i join membership m on m.person_id = $1 and m.status <> 'ended'
    where i.included_with_member and i.state in ('listed', 'unlisted')
  )
  order by lower(p.name), p.id limit 100`;

/** What a person may use right now, each product as the entitlement check would answer. */
export async function listLibrary(pool: pg.Pool, personId: string): Promise<LibraryItem[]> {
  const { rows } = await pool.query<Omit<LibraryItem, 'access'>>(CANDIDATES, [personId]);
  const items = await Promise.all(
    rows.map(async (product) => ({
      ...product,
      access: await readAccess(pool, { productId: product.productId, personId }),
    })),
  );
  return items.filter(({ access }) => access.isActive);
}
