import { rows, type EntityManager } from '../platform/database.ts';
import type { LiveMembership } from './union.ts';

/** In SQL, of a membership `m`: it gives access at the instant. */
export const isLiveAt = (instant: string) =>
  `m.status in ('active', 'past_due', 'canceling') and (m.ends_at is null or m.ends_at > ${instant})`;

/** The person's live membership, where the product is Included. */
export async function findLiveMembership(
  em: EntityManager,
  key: { productId: string; personId: string },
): Promise<LiveMembership | null> {
  const [row] = await rows<{ ends_at: string | null }>(
    em,
    `select m.ends_at from membership m join product p on p.id = ? and p.included_with_member
     where m.person_id = ? and ${isLiveAt('gatehouse_now()')}`,
    [key.productId, key.personId],
  );
  return row ? { endsAt: row.ends_at ? new Date(row.ends_at) : null } : null;
}

export async function endMemberships(em: EntityManager, personId: string): Promise<void> {
  await rows(
    em,
    `update membership set status = 'ended', ends_at = least(ends_at, gatehouse_now())
     where person_id = ? and status <> 'ended'`,
    [personId],
  );
}
