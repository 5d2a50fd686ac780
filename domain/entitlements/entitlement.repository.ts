import { entitlementWorkflow } from '../outbox/workflow-targets.ts';
import { LOCK, now, type EntityManager } from '../../platform/database/database.ts';
import { kysely } from '../kysely.ts';
import { newUuid } from '../shared/ids.ts';
import { sendToWorkflow } from '../outbox/outbox.repository.ts';
import { recordEvent } from '../webhooks/event.repository.ts';
import {
  decideEntitlementEvent,
  type ChangeReason,
  type EntitlementEventName,
} from './decide-entitlement-event.ts';
import { isExpiryOwed, type Announced } from './expiry.ts';
import { AccessGrant, Entitlement } from './entitlement.entity.ts';
import {
  findLiveMembership,
  findPastMembership,
  lockMembershipOf,
  recordActivation,
} from './memberships/membership.repository.ts';
import {
  decideRecheckAt,
  decideEffectiveAccess,
  type GrantType,
  type Source,
  type EffectiveAccess,
} from './effective-access.ts';
import { withMembership, withPastMembership } from './memberships/membership-access.ts';

export type AccessKey = { productId: string; personId: string };

export type NewGrant = {
  type: GrantType;
  source: string;
  startsAt: Date;
  endsAt: Date | null;
  grantedBy?: string;
};

/** The purchase behind a change and a bank's decision are part of the event. */
type Change = { reason: ChangeReason; purchaseId?: string; isChargeback?: boolean };

/** Access under its lock; `storeAccess` belongs behind every change of its sources. */
export type LockedAccess = AccessKey & {
  entitlementId: string;
  announced: Announced;
  recheckAt: Date | null;
};

/** Locks the entitlement row before a change of the sources, and announces what time has ended. */
export async function lockAccess(
  em: EntityManager,
  { productId, personId }: AccessKey,
): Promise<LockedAccess> {
  const key = { productId, personId };
  const row = await lockEntitlement(em, key);
  const announced: Announced = { isActive: row.announcedActive, endsAt: row.announcedEndsAt };
  const locked = { ...key, entitlementId: row.id, announced, recheckAt: row.recheckAt };
  const at = await now(em);
  if (!isExpiryOwed(announced, at)) return locked;
  const access = await readEffectiveAccess(em, key, { sources: await readSources(em, key), at });
  return {
    ...locked,
    announced: await announceChange(em, { ...locked, reason: 'elapsed', access }),
  };
}

/** Computes the effective access from the changed sources, announces the difference and stores it. */
export async function storeAccess(
  em: EntityManager,
  locked: LockedAccess,
  change: Change,
): Promise<void> {
  const { recheckAt } = await updateAccess(em, locked, change);
  const hasNewBoundary = recheckAt?.getTime() !== locked.recheckAt?.getTime();
  if (hasNewBoundary) await sendToWorkflow(em, entitlementWorkflow(locked), {});
}

/** Changes access by time alone, for the workflow. Returns the time until the next change. */
export async function applyElapsedTime(
  em: EntityManager,
  key: AccessKey,
): Promise<{ access: EffectiveAccess; remainingMs: number | null }> {
  const locked = await lockAccess(em, key);
  const { access, recheckAt } = await updateAccess(em, locked, { reason: 'elapsed' });
  if (recheckAt === null) return { access, remainingMs: null };
  const at = await now(em);
  return { access, remainingMs: Math.max(0, recheckAt.getTime() - at.getTime()) };
}

async function updateAccess(
  em: EntityManager,
  locked: LockedAccess,
  change: Change,
): Promise<{ access: EffectiveAccess; recheckAt: Date | null }> {
  const { productId, personId } = locked;
  const key = { productId, personId };
  const sources = await readSources(em, key);
  const at = await now(em); // after the change, so that a source that it started has started
  const access = await readEffectiveAccess(em, key, { sources, at });
  const recheckAt = decideRecheckAt(sources, at);
  const announced = await announceChange(em, { ...locked, ...change, access });
  await em.nativeUpdate(Entitlement, key, {
    type: access.type,
    source: access.source,
    endsAt: access.endsAt,
    recheckAt,
    announcedActive: announced.isActive,
    announcedEndsAt: announced.endsAt,
  });
  return { access, recheckAt };
}

type Moved = LockedAccess &
  Change & {
    /** The access by the grants; a membership is added here. */
    access: EffectiveAccess;
  };

/** Announces a change and returns the announced access. */
async function announceChange(em: EntityManager, moved: Moved): Promise<Announced> {
  const { reason, announced: before, access } = moved;
  const membership = await findLiveMembership(em, moved);
  const effective = withMembership(access, membership);
  const after = membership?.hasAnyActivation ? effective : access;
  const isKeptIn = membership !== null && before.isActive && !after.isActive;
  // A membership that keeps the access is activated, so that its end is announced. An earlier
  // activation by another membership does not announce it.
  if (membership && !membership.hasActivation && (membership.hasAnyActivation || isKeptIn)) {
    await recordActivation(em, { ...moved, membershipId: membership.id });
  }
  // A membership keeps the access: no loss is announced.
  if (isKeptIn) return effective;
  const name = decideEntitlementEvent({ reason, before, after });
  if (name) await announce(em, { ...moved, name, effective });
  return after;
}

/** Call it between lockAccess and storeAccess. A source is granted once. */
export async function addGrant(em: EntityManager, key: AccessKey, grant: NewGrant): Promise<void> {
  await em.insert(AccessGrant, { id: newUuid(), ...key, ...grant });
}

/** Every decision about a person's access to a product locks this row first. */
export async function lockEntitlement(em: EntityManager, key: AccessKey) {
  await lockMembershipOf(em, key);
  await kysely(em)
    .insertInto('entitlement')
    .values({ ...key, id: newUuid() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return em.findOneOrFail(Entitlement, key, LOCK);
}

/** Reads the access by the grants; when none is active, the membership that ended last counts. */
async function readEffectiveAccess(
  em: EntityManager,
  key: AccessKey,
  { sources, at }: { sources: Source[]; at: Date },
): Promise<EffectiveAccess> {
  const access = decideEffectiveAccess(sources, at);
  return access.isActive ? access : withPastMembership(access, await findPastMembership(em, key));
}

async function readSources(em: EntityManager, key: AccessKey): Promise<Source[]> {
  return em.find(AccessGrant, key, { disableIdentityMap: true });
}

async function announce(
  em: EntityManager,
  announcement: Moved & { name: EntitlementEventName; effective: EffectiveAccess },
): Promise<void> {
  const { productId, personId, entitlementId, name, effective } = announcement;
  const { purchaseId, isChargeback } = announcement;
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
      ...(isChargeback && name === 'entitlement.refunded' ? { chargeback: true as const } : {}),
    },
  });
}
