// Activations of a membership, and the events about it for activated products.
import { LOCK, type EntityManager } from '../../../platform/database/database.ts';
import { CLOCK, NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { lockAccess, storeAccess, type AccessKey } from '../entitlement.repository.ts';
import { Membership, MembershipChange } from './membership.entity.ts';
import {
  activeUntil,
  findLiveMembership,
  isLive,
  recordActivation,
} from './membership.repository.ts';

const BATCH_SIZE = 100;

/** False when the person's membership does not reach the product, or it was activated before. */
export async function activateProduct(em: EntityManager, key: AccessKey): Promise<boolean> {
  if (!canActivate(await findLiveMembership(em, key))) return false;
  const access = await lockAccess(em, key);
  // The membership is read again under the locks.
  const membership = await findLiveMembership(em, key);
  const isActivated = canActivate(membership);
  if (isActivated) await recordActivation(em, { ...key, membershipId: membership.id });
  await storeAccess(em, access, { reason: 'granted' });
  return isActivated;
}

/** A member with a token for a client of the product has activated it. */
export async function activateBySignIn(em: EntityManager, key: AccessKey): Promise<void> {
  const signedIn = await kysely(em)
    .selectFrom('accessToken as token')
    .innerJoin('oauthClient as client', 'client.id', 'token.clientId')
    .innerJoin('membership', 'membership.personId', 'token.personId')
    .select('membership.id')
    .where('token.personId', '=', key.personId)
    .where('client.productId', '=', key.productId)
    .whereRef('token.createdAt', '>=', 'membership.createdAt')
    .where(isLive())
    .limit(1)
    .executeTakeFirst();
  if (signedIn) await activateProduct(em, key);
}

type Found = Awaited<ReturnType<typeof findLiveMembership>>;

function canActivate(membership: Found): membership is NonNullable<Found> {
  return membership !== null && !membership.hasActivation;
}

/** Notifies the next batch of activated products of the oldest change; false once no change is left. */
export async function notifyActivated(em: EntityManager, membershipId: string): Promise<boolean> {
  const waiting = { membershipId, notifiedAt: null };
  const change = await em.findOne(MembershipChange, waiting, { ...LOCK, orderBy: { id: 'asc' } });
  if (!change) return false;
  const { reason } = change;
  const { personId } = await em.findOneOrFail(Membership, { id: membershipId });
  const activated = await listActivated(em, change);
  for (const productId of activated) {
    const access = await lockAccess(em, { productId, personId });
    await closeEnded(em, { membershipId, productId });
    await storeAccess(em, access, { reason });
  }
  change.notifiedThrough = activated.at(-1) ?? change.notifiedThrough;
  if (activated.length < BATCH_SIZE) change.notifiedAt = CLOCK;
  return true;
}

type Progress = { membershipId: string; createdAt: Date; notifiedThrough: string | null };

/** The next products; one that was activated since has been notified of the state after the change. */
async function listActivated(
  em: EntityManager,
  { membershipId, createdAt, notifiedThrough }: Progress,
): Promise<string[]> {
  let next = kysely(em)
    .selectFrom('membershipActivation')
    .select('productId')
    .where('membershipId', '=', membershipId)
    .where('closedAt', 'is', null)
    .where('openedAt', '<=', createdAt)
    .orderBy('productId')
    .limit(BATCH_SIZE);
  if (notifiedThrough !== null) next = next.where('productId', '>', notifiedThrough);
  return (await next.execute()).map(({ productId }) => productId);
}

type Activation = { membershipId: string; productId: string };

const activationsOf = (em: EntityManager, { membershipId, productId }: Activation) =>
  kysely(em)
    .updateTable('membershipActivation')
    .from('membership')
    .whereRef('membership.id', '=', 'membershipActivation.membershipId')
    .where('membershipActivation.membershipId', '=', membershipId)
    .where('membershipActivation.productId', '=', productId);

/**
 * Activations stay while the money may come back: the product is then notified and grants nothing
 * in between.
 */
async function closeEnded(em: EntityManager, activation: Activation): Promise<void> {
  await activationsOf(em, activation)
    .set({ closedAt: activeUntil() })
    .where('membership.status', '=', 'ended')
    .where('membership.endsAt', '<=', NOW)
    .execute();
}

/** One batch of activations of products that are no longer Included; returns their number. */
export async function closeActivationsOfExcluded(em: EntityManager): Promise<number> {
  const open = await kysely(em)
    .selectFrom('product')
    .innerJoin('membershipActivation as activation', (join) =>
      join.onRef('activation.productId', '=', 'product.id').on('activation.closedAt', 'is', null),
    )
    .innerJoin('membership', 'membership.id', 'activation.membershipId')
    .select(['activation.productId', 'activation.membershipId', 'membership.personId'])
    .where('product.includedWithMember', '=', false)
    .orderBy('activation.productId')
    .orderBy('membership.personId')
    .limit(BATCH_SIZE)
    .execute();
  for (const { personId, ...activation } of open) {
    const access = await lockAccess(em, { productId: activation.productId, personId });
    await closeNow(em, activation);
    await storeAccess(em, access, { reason: 'withdrawn' });
  }
  return open.length;
}

async function closeNow(em: EntityManager, activation: Activation): Promise<void> {
  await activationsOf(em, activation)
    .set(({ fn }) => ({ closedAt: fn<Date>('least', [NOW, activeUntil()]) }))
    .where('membershipActivation.closedAt', 'is', null)
    .execute();
}
