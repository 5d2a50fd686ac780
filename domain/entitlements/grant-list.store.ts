import { rows, type EntityManager } from '../platform/database.ts';

export type GrantView = {
  grantId: string;
  personId: string;
  handle: string;
  grantedByHandle: string | null;
  startsAt: string;
  endsAt: string | null;
  withdrawnAt: string | null;
  state: 'ahead' | 'active' | 'ended' | 'withdrawn';
};

/** A page of a product's grants, the newest first, after the grant with which the page before ended. */
export async function listGrants(
  em: EntityManager,
  { productId, after, limit }: { productId: string; after: string | null; limit: number },
): Promise<GrantView[]> {
  return rows(
    em,
    `select g.source as "grantId", g.person_id as "personId", p.handle,
       b.handle as "grantedByHandle", g.starts_at as "startsAt", g.ends_at as "endsAt",
       g.withdrawn_at as "withdrawnAt",
       case when g.withdrawn_at is not null then 'withdrawn'
         when g.ends_at <= gatehouse_now() then 'ended'
         when g.starts_at > gatehouse_now() then 'ahead'
         else 'active' end as state
     from access_grant g join person p on p.id = g.person_id
     left join person b on b.id = g.granted_by
     where g.product_id = ? and g.type = 'complimentary' and (?::text is null or (g.created_at, g.id) < (
       select created_at, id from access_grant where product_id = ? and source = ?))
     order by g.created_at desc, g.id desc limit ?`,
    [productId, after, productId, after, limit],
  );
}
