import { purchaseWorkflow } from '../../outbox/workflow-targets.ts';
import { sendToWorkflows } from '../../outbox/outbox.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { fromNow } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import type { AccessKey } from '../../entitlements/entitlement.repository.ts';
import type { Seller } from '../../catalog/payouts/payout-account.repository.ts';
import type { Money } from '../purchases/payment-status.ts';
import type { Reading } from '../purchases/purchase-status.ts';
import { Purchase } from '../purchases/purchase.entity.ts';
import type { Attribution } from './attribution.ts';
import { Checkout } from './checkout.entity.ts';

export type OpenCheckout = NonNullable<Awaited<ReturnType<typeof findOpenCheckout>>>;

export async function findOpenCheckout(em: EntityManager, { personId, productId }: AccessKey) {
  const found = await kysely(em)
    .selectFrom('checkout')
    .innerJoin('purchase', 'purchase.checkoutId', 'checkout.id')
    .select(['checkout.id as checkoutId', 'purchase.id as purchaseId', 'checkout.priceId'])
    .select(['checkout.sessionId', 'checkout.sessionUrl', 'checkout.returnTo'])
    .where('checkout.personId', '=', personId)
    .where('checkout.productId', '=', productId)
    .where('checkout.status', '=', 'open')
    .executeTakeFirst();
  return found ?? null;
}

/**
 * Ties the processor's session to its checkout; false when another checkout replaced it meanwhile.
 * The session is stored all the same, so that reconciliation finds money that is paid in it.
 */
export async function attachSession(
  em: EntityManager,
  checkoutId: string,
  session: { sessionId: string; url: string; expiresAt: Date },
): Promise<boolean> {
  const { sessionId, url: sessionUrl, expiresAt } = session;
  const attached = await kysely(em)
    .updateTable('checkout')
    .set({ sessionId, sessionUrl, expiresAt })
    .where('id', '=', checkoutId)
    .where('status', '=', 'open')
    .executeTakeFirst();
  if (attached.numUpdatedRows === 1n) return true;
  await kysely(em)
    .with('late', (db) =>
      db
        .updateTable('checkout')
        .set({ sessionId, sessionUrl, expiresAt })
        .where('id', '=', checkoutId)
        .where('sessionId', 'is', null)
        .returning('id'),
    )
    .updateTable('purchase')
    .from('late')
    .set({ askAgainAt: fromNow('1 hour') })
    .whereRef('purchase.checkoutId', '=', 'late.id')
    .execute();
  return false;
}

/** Replaces an open checkout as it was read; the workflow cancels its purchase. */
export async function replaceCheckout(
  em: EntityManager,
  { checkoutId, sessionId }: Pick<OpenCheckout, 'checkoutId' | 'sessionId'>,
): Promise<void> {
  const asRead = { id: checkoutId, status: 'open' as const, sessionId };
  await em.nativeUpdate(Checkout, asRead, { status: 'replaced' });
}

/** The last followed link sets the source of a purchase that is not paid, and where it leads back. */
export async function recordLink(
  em: EntityManager,
  { checkoutId, purchaseId, ...open }: OpenCheckout,
  { attribution, returnTo }: { attribution: Attribution; returnTo: string | null },
): Promise<void> {
  await em.nativeUpdate(Purchase, { id: purchaseId, status: 'pending' }, attribution);
  if (open.returnTo === returnTo) return;
  await kysely(em)
    .updateTable('checkout')
    .set({ returnTo })
    .where('id', '=', checkoutId)
    .where('status', '=', 'open')
    .execute();
}

/** The buyer pays what the checkout showed. */
export async function readAgreed(em: EntityManager, checkoutId: string): Promise<Money> {
  const { amountMinor, currency } = await em.findOneOrFail(Checkout, checkoutId);
  return { amountMinor, currency };
}

/** Closes a checkout with its session at the processor. */
export async function closeCheckout(em: EntityManager, id: string, status: Reading['status']) {
  if (status === 'expired') {
    await em.nativeUpdate(Checkout, { id, status: 'open' }, { status: 'expired' });
  } else if (status === 'paid' || status === 'clearing' || status === 'failed') {
    // The session was completed and cannot be paid again, whatever becomes of its payment.
    await em.nativeUpdate(Checkout, { id }, { status: 'paid' });
  }
}

/**
 * Ends an open checkout as it was read, because its buyer does not want it; the workflow cancels
 * its purchase. False when it is not open any more, or has got a session.
 */
export async function abandonCheckout(
  em: EntityManager,
  { checkoutId, purchaseId, sessionId }: OpenCheckout,
): Promise<boolean> {
  const asRead = { id: checkoutId, status: 'open' as const, sessionId };
  if ((await em.nativeUpdate(Checkout, asRead, { status: 'abandoned' })) === 0) return false;
  await notifyPurchases(em, [{ purchaseId }]);
  return true;
}

// Checkouts end with their account or product, or with the payout account of the seller. The workflow of the purchase ends the session at the
// processor, and money that comes all the same is refunded.
const closeOpen = (em: EntityManager) =>
  kysely(em)
    .updateTable('checkout')
    .from('purchase')
    .set({ status: 'abandoned' })
    .whereRef('purchase.checkoutId', '=', 'checkout.id')
    .where('checkout.status', '=', 'open')
    .returning('purchase.id as purchaseId');

/** Call it under the person's lock, which a checkout that is being opened shares. */
export async function closeCheckoutsOf(em: EntityManager, personId: string): Promise<void> {
  const closed = await closeOpen(em).where('checkout.personId', '=', personId).execute();
  await notifyPurchases(em, closed);
}

/** Call it under the lock of the seller's payout account, which a checkout that is being opened shares. */
export async function closeCheckoutsOfSeller(
  em: EntityManager,
  { ownerPersonId, ownerTeamId }: Seller,
): Promise<void> {
  const closed = await closeOpen(em)
    .where('checkout.id', 'in', ({ selectFrom }) =>
      selectFrom('product')
        .innerJoin('checkout as open', 'open.productId', 'product.id')
        .select('open.id')
        .where(({ eb, or }) =>
          or([
            eb('product.ownerPersonId', '=', ownerPersonId),
            eb('product.ownerTeamId', '=', ownerTeamId),
          ]),
        )
        .where('open.status', '=', 'open')
        .orderBy('open.id')
        .forUpdate('open'),
    )
    .execute();
  await notifyPurchases(em, closed);
}

const BATCH = 100;

/** Closes one batch of checkouts of removed products and returns their number. */
export async function closeCheckoutsOfRemoved(em: EntityManager): Promise<number> {
  const closed = await closeOpen(em)
    .where('checkout.id', 'in', ({ selectFrom }) =>
      selectFrom('product')
        .innerJoin('checkout as open', 'open.productId', 'product.id')
        .select('open.id')
        .where('product.state', '=', 'removed')
        .where('open.status', '=', 'open')
        .orderBy('open.id')
        .limit(BATCH)
        .forUpdate('open')
        .skipLocked(),
    )
    .execute();
  await notifyPurchases(em, closed);
  return closed.length;
}

async function notifyPurchases(em: EntityManager, closed: { purchaseId: string }[]): Promise<void> {
  const targets = closed.map(({ purchaseId }) => purchaseWorkflow(purchaseId));
  await sendToWorkflows(em, targets, { kind: 'close' });
}
