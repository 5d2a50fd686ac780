import { holdPerson } from '../../identity/account.store.ts';
import { rows, type EntityManager } from '../../platform/database.ts';
import { recordEvent } from '../../webhooks/event.store.ts';
import { Payment, type PurchaseRow } from '../purchase.entity.ts';
import type { PurchaseStatus } from '../purchase-status.ts';
import { decidePaymentStatus, decideReturnedPurchase, type Returned } from './refund-status.ts';

type Sum = Returned & { paymentId: string; currency: string };

type Moved = {
  /** As it was before, under its lock. */
  purchase: PurchaseRow;
  at: Date;
  /** The bank decided on what has just moved. */
  isChargeback: boolean;
};

/**
 * What refunds and lost disputes together make of a purchase's payments, of itself and of the
 * access it gave: whoever moves one of them calls this, so that one withdrawal counts both.
 */
export async function followReturned(
  em: EntityManager,
  { purchase, at, isChargeback }: Moved,
): Promise<{ status: PurchaseStatus; isMoved: boolean }> {
  const { status, clearedAt, refundedMinor: before } = purchase;
  const sums = await readSums(em, purchase.id);
  for (const sum of sums) {
    await em.nativeUpdate(Payment, { id: sum.paymentId }, { status: decidePaymentStatus(sum) });
  }
  const total = addUp(sums);
  if (total === null || total.returnedMinor === before) return { status, isMoved: false };
  const wasCleared = clearedAt !== null;
  const next = decideReturnedPurchase({ status, wasCleared }, { ...total, isChargeback });
  const isGone = next === 'refunded' || next === 'charged_back';
  await rows(
    em,
    `update purchase set refunded_minor = ?, status = ?, refunded_at = ? where id = ?`,
    [
      total.returnedMinor,
      next ?? status,
      next === null ? purchase.refundedAt : isGone ? at : null,
      purchase.id,
    ],
  );
  // What never was an order gave no access, and nobody was told of it.
  if (!wasCleared) return { status: next ?? status, isMoved: false };
  if (isGone) await withdraw(em, { purchase, at });
  if (next === 'cleared') await reopen(em, purchase);
  const isPart = next === null && status === 'cleared' && total.returnedMinor > before;
  if (isGone || isPart) await tell(em, { purchase, total, isGone, isChargeback });
  return { status: next ?? status, isMoved: true };
}

async function tell(
  em: EntityManager,
  told: { purchase: PurchaseRow; total: Omit<Sum, 'paymentId'> } & Record<
    'isGone' | 'isChargeback',
    boolean
  >,
): Promise<void> {
  const { purchase, total, isGone, isChargeback } = told;
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
    },
  });
}

async function withdraw(
  em: EntityManager,
  { purchase, at }: Pick<Moved, 'purchase' | 'at'>,
): Promise<void> {
  await rows(
    em,
    `update access_grant set withdrawn_at = ?
     where product_id = ? and person_id = ? and source = ? and withdrawn_at is null`,
    [at, purchase.productId, purchase.personId, purchase.id],
  );
}

/** Only what the money itself has withdrawn, and nothing for who is gone or of what is gone. */
async function reopen(em: EntityManager, purchase: PurchaseRow): Promise<void> {
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

async function readSums(em: EntityManager, purchaseId: string): Promise<Sum[]> {
  const found = await rows<Record<keyof Sum, string>>(
    em,
    `select p.id as "paymentId", p.gross_minor as "grossMinor", p.currency,
       (select coalesce(sum(r.amount_minor), 0) from refund r
         where r.payment_id = p.id and r.status = 'succeeded')
       + (select coalesce(sum(d.amount_minor), 0) from dispute d
         where d.payment_id = p.id and d.status = 'lost' and d.currency = p.currency)
         as "returnedMinor"
     from payment p
     where p.purchase_id = ? and p.status in ('succeeded', 'partially_refunded', 'refunded')
     order by p.id`,
    [purchaseId],
  );
  return found.map((row) => ({
    ...row,
    grossMinor: Number(row.grossMinor),
    returnedMinor: Number(row.returnedMinor),
  }));
}

/** A hosted checkout charges once: its purchase has one payment. */
function addUp(sums: Sum[]): Omit<Sum, 'paymentId'> | null {
  const [first] = sums;
  if (!first) return null;
  return {
    currency: first.currency,
    grossMinor: sums.reduce((sum, { grossMinor }) => sum + grossMinor, 0),
    returnedMinor: sums.reduce((sum, { returnedMinor }) => sum + returnedMinor, 0),
  };
}
