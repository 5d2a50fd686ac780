import { LockMode } from '@mikro-orm/core';
import { entitlementActor } from '../platform/outbox/actors.ts';
import { now, rows, type EntityManager } from '../platform/database.ts';
import { newUuid } from '../platform/ids.ts';
import { sendToActor } from '../platform/outbox/outbox.store.ts';
import { recordEvent } from '../webhooks/event.store.ts';
import { decideAnnouncement, isExpiryOwed, type EntitlementEventName } from './announcement.ts';
import { AccessGrant, Entitlement } from './entitlement.entity.ts';
import { findLiveMembership } from './membership.store.ts';
import {
  decideRecheckAt,
  decideUnion,
  withMembership,
  type GrantType,
  type Source,
  type Union,
} from './union.ts';

export type AccessKey = { productId: string; personId: string };

export type NewGrant = {
  type: GrantType;
  source: string;
  startsAt: Date;
  endsAt: Date | null;
};

/** What a change of a source came to; a purchase behind it is named in the event. */
type Written = { purchaseId?: string };

/**
 * One change of access: locks the entitlement row, announces what the clock still owes, lets
 * `write` change the sources, then recomputes the union and announces its change.
 */
export async function changeAccess<Result extends Written>(
  em: EntityManager,
  key: AccessKey,
  write: () => Promise<Result>,
): Promise<Result> {
  const { result, hasNewBoundary } = await rewriteAccess(em, key, write);
  if (hasNewBoundary) await sendToActor(em, entitlementActor(key), {});
  return result;
}

/**
 * A change by time alone, asked for by the entitlement's actor: nothing is written but what the
 * clock owes. Answers how long until the next one.
 */
export async function settleClock(
  em: EntityManager,
  key: AccessKey,
): Promise<{ union: Union; remainingMs: number | null }> {
  const { union } = await rewriteAccess(em, key, async () => ({}));
  const [row] = await rows<{ remainingMs: number | null }>(
    em,
    `select (extract(epoch from recheck_at - gatehouse_now()) * 1000)::float as "remainingMs"
     from entitlement where product_id = ? and person_id = ?`,
    [key.productId, key.personId],
  );
  const remainingMs = row?.remainingMs ?? null;
  return { union, remainingMs: remainingMs === null ? null : Math.max(0, Math.ceil(remainingMs)) };
}

async function rewriteAccess<Result extends Written>(
  em: EntityManager,
  key: AccessKey,
  write: () => Promise<Result>,
): Promise<{ result: Result; union: Union; hasNewBoundary: boolean }> {
  const row = await lockEntitlement(em, key);
  let announced = { isActive: row.announcedActive, endsAt: row.announcedEndsAt };
  const before = await now(em);
  if (isExpiryOwed(announced, before)) {
    announced = { isActive: false, endsAt: announced.endsAt };
    const ended = decideUnion(await readSources(em, key), before);
    await announce(em, {
      ...key,
      entitlementId: row.id,
      name: 'entitlement.expired',
      union: ended,
    });
  }
  const result = await write();
  const { purchaseId } = result;
  const sources = await readSources(em, key);
  const at = await now(em); // after the write: what it started has started by now
  const union = decideUnion(sources, at);
  const recheckAt = decideRecheckAt(sources, at);
  const name = decideAnnouncement(announced, union);
  if (name) await announce(em, { ...key, entitlementId: row.id, name, union, purchaseId });
  await em.nativeUpdate(Entitlement, key, {
    type: union.type === 'member' ? null : union.type,
    source: union.source,
    endsAt: union.endsAt,
    recheckAt,
    announcedActive: union.isActive,
    announcedEndsAt: union.endsAt,
  });
  return { result, union, hasNewBoundary: recheckAt?.getTime() !== row.recheckAt?.getTime() };
}

/** Adds a source of access; call it inside changeAccess. A source is granted once. */
export async function addGrant(em: EntityManager, key: AccessKey, grant: NewGrant): Promise<void> {
  await em.insert(AccessGrant, { id: newUuid(), ...key, ...grant });
}

/** Whoever decides something about a person's access to a product takes this row first. */
export async function lockEntitlement(em: EntityManager, key: AccessKey) {
  const { productId, personId } = key;
  await rows(
    em,
    'insert into entitlement (product_id, person_id, id) values (?, ?, ?) on conflict do nothing',
    [productId, personId, newUuid()],
  );
  return em.findOneOrFail(Entitlement, key, {
    lockMode: LockMode.PESSIMISTIC_WRITE,
    refresh: true,
  });
}

async function readSources(em: EntityManager, key: AccessKey): Promise<Source[]> {
  return em.find(AccessGrant, key, { disableIdentityMap: true });
}

async function announce(
  em: EntityManager,
  announcement: AccessKey & {
    entitlementId: string;
    name: EntitlementEventName;
    union: Union;
    purchaseId?: string | undefined;
  },
): Promise<void> {
  const { productId, personId, entitlementId, name, union, purchaseId } = announcement;
  const effective = withMembership(union, await findLiveMembership(em, { productId, personId }));
  await recordEvent(em, {
    productId,
    name,
    data: {
      entitlement_id: entitlementId,
      product_id: productId,
      user_id: personId,
      active: effective.isActive,
      type: effective.type,
      source: effective.source,
      ends_at: effective.endsAt?.toISOString() ?? null,
      ...(purchaseId ? { purchase_id: purchaseId } : {}),
    },
  });
}
