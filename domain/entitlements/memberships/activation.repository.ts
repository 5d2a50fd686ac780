// Activations of a membership, and the events about it for activated products.
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import type { ChangeReason } from '../entitlement-event.ts';
import { changeAccess, type AccessKey } from '../entitlement.repository.ts';
import {
  findLiveMembership,
  isLiveAt,
  OPEN_UNTIL,
  recordOpening,
} from './membership.repository.ts';

const AT_ONCE = 100;

/** False when the person's membership does not reach the product, or it was activated before. */
export async function openWithMember(em: EntityManager, key: AccessKey): Promise<boolean> {
  if (!isToOpen(await findLiveMembership(em, key))) return false;
  let isOpened = false;
  await changeAccess(em, key, {
    reason: 'granted',
    async write() {
      // The membership is read again under the locks.
      const membership = await findLiveMembership(em, key);
      isOpened = isToOpen(membership);
      if (isToOpen(membership)) await recordOpening(em, { ...key, membershipId: membership.id });
      return {};
    },
  });
  return isOpened;
}

/** A member with a token for a client of the product has activated it. */
export async function openBySignIn(em: EntityManager, key: AccessKey): Promise<void> {
  const signedIn = await rows(
    em,
    `select 1 from access_token t join oauth_client c on c.id = t.client_id
     join membership m on m.person_id = t.person_id
     where t.person_id = ? and c.product_id = ? and t.created_at >= m.created_at
       and ${isLiveAt('gatehouse_now()')} limit 1`,
    [key.personId, key.productId],
  );
  if (signedIn.length > 0) await openWithMember(em, key);
}

type Found = Awaited<ReturnType<typeof findLiveMembership>>;

function isToOpen(membership: Found): membership is NonNullable<Found> {
  return membership !== null && !membership.isOpenedItself;
}

type Change = {
  id: string;
  reason: ChangeReason;
  personId: string;
  notifiedThrough: string | null;
  createdAt: Date | string;
};

/** Notifies the next batch of activated products of the oldest change; false once no change is left. */
export async function notifyActivated(em: EntityManager, membershipId: string): Promise<boolean> {
  const [change] = await rows<Change>(
    em,
    `select c.id, c.reason, m.person_id as "personId", c.notified_through as "notifiedThrough",
       c.created_at as "createdAt"
     from membership_change c join membership m on m.id = c.membership_id
     where c.membership_id = ? and c.notified_at is null order by c.id limit 1 for update of c`,
    [membershipId],
  );
  if (!change) return false;
  const { id, reason, personId, notifiedThrough, createdAt } = change;
  // What was opened since has heard how the membership stands.
  const opened = await rows<{ productId: string }>(
    em,
    `select product_id as "productId" from membership_activation
     where membership_id = ? and closed_at is null and opened_at <= ?
       and (?::uuid is null or product_id > ?::uuid)
     order by product_id limit ${AT_ONCE}`,
    [membershipId, createdAt, notifiedThrough, notifiedThrough],
  );
  for (const { productId } of opened) {
    const write = () => closeEnded(em, { membershipId, productId });
    await changeAccess(em, { productId, personId }, { reason, write });
  }
  await rows(
    em,
    `update membership_change set notified_through = ?,
       notified_at = case when ? then gatehouse_now() end where id = ?`,
    [opened.at(-1)?.productId ?? notifiedThrough, opened.length < AT_ONCE, id],
  );
  return true;
}

/**
 * Activations stay while the money may come back: the product then hears of it and grants nothing
 * in between.
 */
async function closeEnded(
  em: EntityManager,
  { membershipId, productId }: { membershipId: string; productId: string },
) {
  await rows(
    em,
    `update membership_activation o set closed_at = ${OPEN_UNTIL} from membership m
     where m.id = o.membership_id and m.status = 'ended' and m.ends_at <= gatehouse_now()
       and o.membership_id = ? and o.product_id = ?`,
    [membershipId, productId],
  );
  return {};
}

/** One batch of activations of products that are no longer Included; answers how many they were. */
export async function closeOpeningsOfExcluded(em: EntityManager): Promise<number> {
  const open = await rows<AccessKey & { membershipId: string }>(
    em,
    `select o.product_id as "productId", m.person_id as "personId", m.id as "membershipId"
     from product p join membership_activation o on o.product_id = p.id and o.closed_at is null
     join membership m on m.id = o.membership_id
     where not p.included_with_member
     order by o.product_id, m.person_id limit ${AT_ONCE}`,
  );
  for (const { membershipId, ...key } of open) {
    const write = async () => {
      await rows(
        em,
        `update membership_activation o set closed_at = least(gatehouse_now(), ${OPEN_UNTIL})
         from membership m where m.id = o.membership_id and o.membership_id = ?
           and o.product_id = ? and o.closed_at is null`,
        [membershipId, key.productId],
      );
      return {};
    };
    await changeAccess(em, key, { reason: 'withdrawn', write });
  }
  return open.length;
}
