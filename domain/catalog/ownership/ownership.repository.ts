import { rows, type EntityManager } from '../../../platform/database/database.ts';

/**
 * True when something would lose its owner: personal products that are not removed, or teams with
 * this only owner.
 */
export async function isNeededAsOwner(em: EntityManager, personId: string): Promise<boolean> {
  const needed = await rows(
    em,
    `select 1 from product where owner_person_id = ? and state <> 'removed'
     union all
     select 1 from team_member m join team t on t.id = m.team_id and t.deleted_at is null
     where m.person_id = ? and m.role = 'owner' and not exists (
       select 1 from team_member other
       where other.team_id = m.team_id and other.role = 'owner' and other.person_id <> m.person_id)
     limit 1`,
    [personId, personId],
  );
  return needed.length > 0;
}
