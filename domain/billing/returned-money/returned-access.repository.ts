// The effect of returned money on the access that it gave, and its events.
import { holdPerson } from '../../identity/account.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { AccessGrant } from '../../entitlements/entitlement.entity.ts';
import { kysely } from '../../kysely.ts';
import { recordEvent } from '../../webhooks/event.repository.ts';
import { Purchase, type PurchaseRow } from '../purchases/purchase.entity.ts';
import type { Returned, ReturnedStatus } from '../refunds/refund-status.ts';

export type ReturnedMoney = {
  purchase: PurchaseRow;
  total: Returned & { currency: string };
  /** All of the money is back. */
  isGone: boolean;
  isChargeback: boolean;
  /** Set for a subscription's payment outside of the current period. */
  paymentId?: string;
};

export async function recordReturnEvent(em: EntityManager, returned: ReturnedMoney): Promise<void> {
  const { purchase, total, isGone, isChargeback, paymentId } = returned;
  await recordEvent(em, {
    productId: purchase.productId,
    name: isGone ? 'purchase.refunded' : 'purchase.partially_refunded',
    data: {
      purchase_id: purchase.id,
      user_id: purchase.personId,
      product_id: purchase.productId,
      gross_minor: total.grossMinor,
      refunded_minor: Math.min(total.returnedMinor, total.grossMinor),
      currency: total.currency,
      chargeback: isChargeback,
      ...(paymentId === undefined ? {} : { payment_id: paymentId }),
    },
  });
}

/**
 * Moves a purchase to the status after returned money, and its access with it; true when the access
 * is gone.
 */
export async function moveReturned(
  em: EntityManager,
  { purchase, next, at }: { purchase: PurchaseRow; next: ReturnedStatus | null; at: Date },
): Promise<boolean> {
  if (next === null) return false;
  const isGone = next === 'refunded' || next === 'charged_back';
  const moved = { status: next, refundedAt: isGone ? at : null };
  await em.nativeUpdate(Purchase, { id: purchase.id }, moved);
  if (isGone) await withdrawReturned(em, purchase, at);
  if (next === 'cleared') await reopenReturned(em, purchase);
  return isGone;
}

async function withdrawReturned(
  em: EntityManager,
  { id: source, productId, personId }: PurchaseRow,
  withdrawnAt: Date,
): Promise<void> {
  const given = { productId, personId, source, withdrawnAt: null };
  await em.nativeUpdate(AccessGrant, given, { withdrawnAt });
}

/**
 * Opens again only what the money alone withdrew, and nothing for a deleted account or a removed
 * product.
 */
async function reopenReturned(em: EntityManager, purchase: PurchaseRow): Promise<void> {
  const { id, productId, personId, refundedAt } = purchase;
  if (!(await holdPerson(em, personId))) return;
  await kysely(em)
    .updateTable('accessGrant')
    .set({ withdrawnAt: null })
    .where('productId', '=', productId)
    .where('personId', '=', personId)
    .where('source', '=', id)
    .where('withdrawnAt', '=', refundedAt)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('product')
            .select('product.id')
            .whereRef('product.id', '=', 'accessGrant.productId')
            .where('product.state', '=', 'removed'),
        ),
      ),
    )
    .execute();
}
