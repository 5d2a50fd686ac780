import { rows, type EntityManager } from '../../../platform/database/database.ts';

export const MOST_ENDPOINTS_OF_ONE_OWNER = 100;

export type Owner = { personId: string | null; teamId: string | null };

/**
 * Locks the owner of a product, then the product. Null when the product has another owner by then.
 */
export async function lockWithOwner(em: EntityManager, productId: string): Promise<Owner | null> {
  const [owner] = await rows<Owner>(
    em,
    `select owner_person_id as "personId", owner_team_id as "teamId" from product where id = ?`,
    [productId],
  );
  if (!owner) return null;
  const { personId, teamId } = owner;
  await rows(em, 'select 1 from person where id = ? for no key update', [personId]);
  await rows(em, 'select 1 from team where id = ? for no key update', [teamId]);
  const unchanged = await rows(
    em,
    `select 1 from product where id = ? and (owner_person_id = ? or owner_team_id = ?)
     for no key update`,
    [productId, personId, teamId],
  );
  return unchanged.length === 1 ? owner : null;
}

/** Counts the endpoints of an owner's products and of one more product. */
export async function countEndpoints(
  em: EntityManager,
  { personId, teamId }: Owner,
  productId: string,
): Promise<number> {
  const [counted] = await rows<{ n: number }>(
    em,
    `select count(*)::int as n from webhook_endpoint e join product p on p.id = e.product_id
     where e.deleted_at is null
       and (p.owner_person_id = ? or p.owner_team_id = ? or p.id = ?)`,
    [personId, teamId, productId],
  );
  return counted!.n;
}
