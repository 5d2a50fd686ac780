import { entitlementActor } from '../outbox/actors.ts';
import { LOCK, now, type EntityManager } from '../../platform/database/database.ts';
import { kysely } from '../kysely.ts';
import { newUuid } from '../shared/ids.ts';
import { sendToActor } from '../outbox/outbox.repository.ts';
import { recordEvent } from '../webhooks/event.repository.ts';
import {
  decideEntitlementEvent,
  isExpiryOwed,
  type Announced,
  type ChangeReason,
  type EntitlementEventName,
} from './entitlement-event.ts';
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
  withMembership,
  withPastMembership,
  type GrantType,
  type Source,
  type EffectiveAccess,
} from './effective-access.ts';

export type AccessKey = { productId: string; personId: string };

export type NewGrant = {
  type: GrantType;
  source: string;
  startsAt: Date;
  endsAt: Date | null;
  grantedBy?: string;
};

/** The purchase behind a change and a bank's decision are part of the event. */
type Written = { purchaseId?: string; isChargeback?: boolean };

type Change<Result extends Written> = { reason: ChangeReason; write: () => Promise<Result> };

/**
 * Changes access: locks the entitlement row, announces what time has ended, lets `write` change the
 * sources, then computes the effective access and announces the difference.
 */
export async function changeAccess<Result extends Written>(
  em: EntityManager,
  key: AccessKey,
  change: Change<Result>,
): Promise<Result> {
  const { result, hasNewBoundary } = await rewriteAccess(em, key, change);
  if (hasNewBoundary) await sendToActor(em, entitlementActor(key), {});
  return result;
}

/** Changes access by time alone, for the workflow. Returns the time until the next change. */
export async function applyElapsedTime(
  em: EntityManager,
  key: AccessKey,
): Promise<{ access: EffectiveAccess; remainingMs: number | null }> {
  const change = { reason: 'elapsed', write: async () => ({}) } as const;
  const { access, recheckAt } = await rewriteAccess(em, key, change);
  if (recheckAt === null) return { access, remainingMs: null };
  const at = await now(em);
  return { access, remainingMs: Math.max(0, recheckAt.getTime() - at.getTime()) };
}

type Rewritten<Result> = {
  result: Result;
  access: EffectiveAccess;
  recheckAt: Date | null;
  hasNewBoundary: boolean;
};

async function rewriteAccess<Result extends Written>(
  em: EntityManager,
  key: AccessKey,
  { reason, write }: Change<Result>,
): Promise<Rewritten<Result>> {
  const row = await lockEntitlement(em, key);
  const ids = { ...key, entitlementId: row.id };
  let announced: Announced = { isActive: row.announcedActive, endsAt: row.announcedEndsAt };
  const before = await now(em);
  if (isExpiryOwed(announced, before)) {
    const access = await readEffectiveAccess(em, key, {
      sources: await readSources(em, key),
      at: before,
    });
    announced = await announceChange(em, { ...ids, reason: 'elapsed', announced, access });
  }
  const result = await write();
  const { purchaseId, isChargeback } = result;
  const sources = await readSources(em, key);
  const at = await now(em); // after the write, so that a source that it started has started
  const access = await readEffectiveAccess(em, key, { sources, at });
  const recheckAt = decideRecheckAt(sources, at);
  announced = await announceChange(em, {
    ...ids,
    reason,
    announced,
    access,
    purchaseId,
    isChargeback,
  });
  await em.nativeUpdate(Entitlement, key, {
    type: access.type,
    source: access.source,
    endsAt: access.endsAt,
    recheckAt,
    announcedActive: announced.isActive,
    announcedEndsAt: announced.endsAt,
  });
  const hasNewBoundary = recheckAt?.getTime() !== row.recheckAt?.getTime();
  return { result, access, recheckAt, hasNewBoundary };
}

type Moved = AccessKey & {
  entitlementId: string;
  reason: ChangeReason;
  announced: Announced;
  /** From the grants; a membership is added here. */
  access: EffectiveAccess;
  purchaseId?: string | undefined;
  isChargeback?: boolean | undefined;
};

/** Announces a change and returns the announced access. */
async function announceChange(em: EntityManager, moved: Moved): Promise<Announced> {
  const { reason, announced: before, access } = moved;
  const membership = await findLiveMembership(em, moved);
  const effective = withMembership(access, membership);
  const after = membership?.isActivated ? effective : access;
  const isKeptIn = membership !== null && before.isActive && !after.isActive;
  // The membership that keeps the access has to announce its end later, so it is activated too,
  // also when another one was activated before.
  if (membership && !membership.hasActivated && (membership.isActivated || isKeptIn)) {
    await recordActivation(em, { ...moved, membershipId: membership.id });
  }
  // A membership keeps the access: no loss is announced.
  if (isKeptIn) return effective;
  const name = decideEntitlementEvent({ reason, before, after });
  if (name) await announce(em, { ...moved, name, effective });
  return after;
}

/** Call it inside changeAccess. A source is granted once. */
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

/** From the grants; when none is active, the membership that ended last counts. */
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
