import { rows, type EntityManager } from '../../../platform/database/database.ts';
import type { ChangeReason } from '../entitlement-event.ts';
import type { LiveMembership } from '../effective-access.ts';

type Key = { productId: string; personId: string };

/** SQL, of a membership `m`: it has begun and has not ended. */
export const IS_RUNNING = `m.status in ('active', 'past_due', 'canceling')`;

/**
 * SQL, of a membership `m`: it gives access at the instant. An ended membership gives access when
 * its money went back and returned; another membership may run beside it.
 */
export const isLiveAt = (instant: string) =>
  `m.withdrawn_at is null and (m.ends_at > ${instant} or m.ends_at is null and ${IS_RUNNING})`;

/** SQL, of memberships `m`: the one that lasts longest. */
export const LONGEST = 'order by m.ends_at desc nulls first, m.id limit 1';

/** In SQL, of an activation `o` of a membership `m` that is over: until when it was open. */
export const OPEN_UNTIL = 'coalesce(o.closed_at, least(m.ends_at, m.withdrawn_at))';

export type OpenableMembership = LiveMembership & {
  id: string;
  /** Activated by this or another live membership. */
  isOpened: boolean;
  isOpenedItself: boolean;
};

/**
 * Before the row of the access: a membership that runs, or may give access again, does not change
 * while an Included product's access does, so that no activation is made beside the news of its end.
 */
export async function holdMembership(em: EntityManager, key: Key): Promise<void> {
  await rows(
    em,
    `select 1 from membership m join product p on p.id = ? and p.included_with_member
     where m.person_id = ? and (${IS_RUNNING} or m.ends_at > gatehouse_now())
     order by m.id for share of m`,
    [key.productId, key.personId],
  );
}

/** The person's live membership that lasts longest, when the product is Included. */
export async function findLiveMembership(
  em: EntityManager,
  key: Key,
): Promise<OpenableMembership | null> {
  const [row] = await rows<Omit<OpenableMembership, 'endsAt'> & { ends_at: string | null }>(
    em,
    `select m.id, m.ends_at, o.membership_id is not null as "isOpenedItself",
       bool_or(o.membership_id is not null) over () as "isOpened"
     from membership m join product p on p.id = ? and p.included_with_member
     left join membership_activation o on o.membership_id = m.id and o.product_id = p.id
       and o.closed_at is null
     where m.person_id = ? and ${isLiveAt('gatehouse_now()')}
     ${LONGEST}`,
    [key.productId, key.personId],
  );
  if (!row) return null;
  const { ends_at: endsAt, ...membership } = row;
  return { ...membership, endsAt: endsAt ? new Date(endsAt) : null };
}

/**
 * When a membership last gave access to a product that it gives no access to now; null when it
 * never did.
 */
export async function findPastMembership(em: EntityManager, key: Key): Promise<Date | null> {
  const [row] = await rows<{ endedAt: Date | string }>(
    em,
    `select ${OPEN_UNTIL} as "endedAt"
     from membership m join membership_activation o on o.membership_id = m.id and o.product_id = ?
     where m.person_id = ? and ${OPEN_UNTIL} <= gatehouse_now()
     order by 1 desc limit 1`,
    [key.productId, key.personId],
  );
  return row ? new Date(row.endedAt) : null;
}

/** From its activation on, a product is notified of changes of the membership; it is activated once. */
export async function recordOpening(
  em: EntityManager,
  { membershipId, productId }: { membershipId: string; productId: string },
): Promise<void> {
  await rows(
    em,
    `insert into membership_activation (membership_id, product_id) values (?, ?)
     on conflict (membership_id, product_id) do update
       set opened_at = gatehouse_now(), closed_at = null
     where membership_activation.closed_at is not null`,
    [membershipId, productId],
  );
}

/** Belongs in the transaction of the change: the workflow notifies the products batch by batch. */
export async function recordMembershipChange(
  em: EntityManager,
  { membershipId, reason }: { membershipId: string; reason: ChangeReason },
): Promise<void> {
  await rows(em, 'insert into membership_change (membership_id, reason) values (?, ?)', [
    membershipId,
    reason,
  ]);
}

/** The number of people who activated the product with a live membership. */
export async function countOpenings(em: EntityManager, productId: string): Promise<number> {
  const [row] = await rows<{ n: number }>(
    em,
    `select count(distinct m.person_id)::int as n
     from membership_activation o join membership m on m.id = o.membership_id
     where o.product_id = ? and o.closed_at is null and ${isLiveAt('gatehouse_now()')}`,
    [productId],
  );
  return row!.n;
}
