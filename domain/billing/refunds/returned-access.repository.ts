// The effect of returned money on the access that it gave, and its events.
import { holdPerson } from '../../identity/account.repository.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { recordEvent } from '../../webhooks/event.repository.ts';
import type { PurchaseRow } from '../purchases/purchase.entity.ts';
import type { Returned, ReturnedStatus } from './refund-status.ts';

export type ReturnedMoney = {
  purchase: PurchaseRow;
  total: Returned & { currency: string };
  /** All of the money is back. */
  isGone: boolean;
  isChargeback: boolean;
  /** Set for a subscription's payment outside of the current period. */
  paymentId?: string;
};

export async function tellOfReturn(em: EntityManager, told: ReturnedMoney): Promise<void> {
  const { purchase, total, isGone, isChargeback, paymentId } = told;
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
  const move = 'update purchase set status = ?, refunded_at = ? where id = ?';
  await rows(em, move, [next, isGone ? at : null, purchase.id]);
  if (isGone) await withdrawReturned(em, { purchase, at });
  if (next === 'cleared') await reopenReturned(em, purchase);
  return isGone;
}

async function withdrawReturned(
  em: EntityManager,
  { purchase, at }: { purchase: PurchaseRow; at: Date },
): Promise<void> {
  await rows(
    em,
    `update access_grant set withdrawn_at = ?
     where product_id = ? and person_id = ? and source = ? and withdrawn_at is null`,
    [at, purchase.productId, purchase.personId, purchase.id],
  );
}

/**
 * Opens again only what the money alone withdrew, and nothing for a deleted account or a removed
 * product.
 */
async function reopenReturned(em: EntityManager, purchase: PurchaseRow): Promise<void> {
  const { id, productId, personId, refundedAt } = purchase;
  if (!(await holdPerson(em, personId))) return;
  await rows(
    em,
    `update access_grant set withdrawn_at = null
     where product_id = ? and person_id = ? and source = ? and withdrawn_at = ?
       and not exists (select 1 from product where id = product_id and state = 'removed')`,
    [productId, personId, id, refundedAt],
  );
}
