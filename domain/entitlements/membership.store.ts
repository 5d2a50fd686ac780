import { rows, type EntityManager } from '../platform/database.ts';
import type { LiveMembership } from './union.ts';

/** In SQL, of a membership `m`: it gives access at the instant. */
export const isLiveAt = (instant: string) =>
  `m.status in ('active', 'past_due', 'canceling') and (m.ends_at is null or m.ends_at > ${instant})`;

export type OpenableMembership = LiveMembership & { id: string; isOpened: boolean };

/** The person's live membership, where the product is Included, and whether it was opened there. */
export async function findLiveMembership(
  em: EntityManager,
  key: { productId: string; personId: string },
): Promise<OpenableMembership | null> {
  const [row] = await rows<{ id: string; ends_at: string | null; isOpened: boolean }>(
    em,
    `select m.id, m.ends_at, o.membership_id is not null as "isOpened"
     from membership m join product p on p.id = ? and p.included_with_member
     left join membership_opening o on o.membership_id = m.id and o.product_id = p.id
     where m.person_id = ? and ${isLiveAt('gatehouse_now()')}`,
    [key.productId, key.personId],
  );
  if (!row) return null;
  const { id, isOpened } = row;
  return { id, isOpened, endsAt: row.ends_at ? new Date(row.ends_at) : null };
}

/** From its opening on, a product hears of what becomes of the membership; it is opened once. */
export async function recordOpening(
  em: EntityManager,
  { membershipId, productId }: { membershipId: string; productId: string },
): Promise<void> {
  await rows(
    em,
    `insert into membership_opening (membership_id, product_id) values (?, ?)
     on conflict do nothing`,
    [membershipId, productId],
  );
}

export async function endMemberships(em: EntityManager, personId: string): Promise<void> {
  await rows(
    em,
    `update membership set status = 'ended', ends_at = least(ends_at, gatehouse_now())
     where person_id = ? and status <> 'ended'`,
    [personId],
  );
}
