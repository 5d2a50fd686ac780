import { rows, type EntityManager } from '../../../platform/database/database.ts';

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

const PAGE = 50;

/**
 * A page of a product's grants, the newest first; `next` is the id of the last one when others
 * follow.
 */
export async function listGrants(
  em: EntityManager,
  { productId, before }: { productId: string; before: string | null },
): Promise<{ grants: GrantView[]; next: string | null }> {
  const found = await rows<GrantView>(
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
    [productId, before, productId, before, PAGE + 1],
  );
  const grants = found.slice(0, PAGE);
  return { grants, next: found.length > PAGE ? grants.at(-1)!.grantId : null };
}
