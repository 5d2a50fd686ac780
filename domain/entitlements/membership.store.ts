import { rows, type EntityManager } from '../platform/database.ts';

export async function endMemberships(em: EntityManager, personId: string): Promise<void> {
  await rows(
    em,
    `update membership set status = 'ended', ends_at = least(ends_at, gatehouse_now())
     where person_id = ? and status <> 'ended'`,
    [personId],
  );
}
