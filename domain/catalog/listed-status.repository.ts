import { shareStatement } from '../../platform/database/batcher.ts';
import { productIdOf, splitReference } from './offering.repository.ts';

/** Whether a product is listed now; null when the name is unknown. */
export const findListing = shareStatement<string, { isListed: boolean } | null>({
  async one(pool, ref) {
    const { rows } = await pool.query<{ isListed: boolean }>({
      name: 'find_listing',
      text: `select state = 'listed' as "isListed" from product where id = ${productIdOf('$1', '$2')}`,
      values: splitReference(ref),
    });
    return rows[0] ?? null;
  },
  async many(pool, refs) {
    const distinct = [...new Set(refs)];
    const { rows } = await pool.query<{ ref: string; isListed: boolean }>({
      name: 'find_listings',
      text: `
        select asked.ref, p.state = 'listed' as "isListed"
        from (select ref, ${productIdOf('uuid', 'ref')} as id
          from unnest($1::uuid[], $2::text[]) given (uuid, ref)) asked
        join product p on p.id = asked.id`,
      values: [distinct.map((ref) => splitReference(ref)[0]), distinct],
    });
    const found = new Map(rows.map(({ ref, isListed }) => [ref, { isListed }]));
    return refs.map((ref) => found.get(ref) ?? null);
  },
});
