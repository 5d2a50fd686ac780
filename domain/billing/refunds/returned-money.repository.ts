import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { withdrawNoOrder } from '../checkout/undeliverable-payment.repository.ts';
import { RECEIVED } from '../purchases/received-statuses.ts';
import { Payment } from '../purchases/payment.entity.ts';
import { type PurchaseRow } from '../purchases/purchase.entity.ts';
import type { PurchaseStatus } from '../purchases/purchase-status.ts';
import {
  followReturnedCharges,
  type ReturnedCharge,
} from '../product-subscriptions/returned-charges.repository.ts';
import { lockSubscriptionOf } from '../product-subscriptions/subscription.repository.ts';
import { decidePaymentStatus, decideReturnedPurchase } from './refund-status.ts';
import { moveReturned, tellOfReturn } from './returned-access.repository.ts';

type Sum = Pick<ReturnedCharge, 'currency' | 'grossMinor' | 'returnedMinor'>;

type Moved = {
  /** The purchase before the change, under its lock. */
  purchase: PurchaseRow;
  at: Date;
  /** The last move was the bank's decision. */
  isChargeback: boolean;
};

type Followed = { status: PurchaseStatus; isMoved: boolean };

/**
 * Applies refunds and lost disputes together to a purchase, its payments and its access, so that
 * one withdrawal counts both. Every move of either calls this function.
 */
export async function followReturned(em: EntityManager, moved: Moved): Promise<Followed> {
  const { purchase } = moved;
  const charges = await sumUpReturned(em, { purchaseId: purchase.id });
  // The caller took this lock before those of access and purchase.
  const isBegun = purchase.clearedAt !== null;
  const subscription = isBegun ? await lockSubscriptionOf(em, purchase.id) : null;
  return subscription
    ? followReturnedCharges(em, { ...moved, subscription, charges })
    : followReturnedTotal(em, { ...moved, total: addUp(charges) });
}

async function followReturnedTotal(
  em: EntityManager,
  { purchase, at, isChargeback, total }: Moved & { total: Sum | null },
): Promise<Followed> {
  const { id, status, clearedAt, refundedMinor: before } = purchase;
  if (total === null || total.returnedMinor === before) return { status, isMoved: false };
  const { returnedMinor } = total;
  const wasCleared = clearedAt !== null;
  const next = decideReturnedPurchase({ status, wasCleared }, { ...total, isChargeback });
  await rows(em, 'update purchase set refunded_minor = ? where id = ?', [returnedMinor, id]);
  const isGone = await moveReturned(em, { purchase, next, at });
  // A purchase that never was an order gave no access, and no product was notified of it.
  if (!wasCleared) return { status: next ?? status, isMoved: false };
  const isPart = next === null && status === 'cleared' && returnedMinor > before;
  if (isGone || isPart) await tellOfReturn(em, { purchase, total, isGone, isChargeback });
  return { status: next ?? status, isMoved: true };
}

/** Writes the returned amount of each payment, and returns it with the amount before. */
export async function sumUpReturned(em: EntityManager, of: Paid): Promise<ReturnedCharge[]> {
  const charges = await readCharges(em, of);
  for (const charge of charges) {
    const { paymentId: id, returnedMinor } = charge;
    await em.nativeUpdate(Payment, { id }, { status: decidePaymentStatus(charge), returnedMinor });
  }
  await withdrawNoOrder(em, payerOf(of));
  return charges;
}

type Paid = { purchaseId: string } | { membershipId: string };

function payerOf(of: Paid) {
  return 'purchaseId' in of
    ? ({ column: 'purchase_id', subject: of.purchaseId } as const)
    : ({ column: 'membership_id', subject: of.membershipId } as const);
}

async function readCharges(em: EntityManager, of: Paid): Promise<ReturnedCharge[]> {
  const { column, subject } = payerOf(of);
  const found = await rows<Record<keyof ReturnedCharge, string>>(
    em,
    `select p.id as "paymentId", p.gross_minor as "grossMinor", p.currency,
       p.period_start as "periodStart", p.returned_minor as "beforeMinor",
       (select coalesce(sum(r.amount_minor), 0) from refund r
         where r.payment_id = p.id and r.status = 'succeeded')
       + (select coalesce(sum(d.amount_minor), 0) from dispute d
         where d.payment_id = p.id and d.status = 'lost' and d.currency = p.currency)
         as "returnedMinor"
     from payment p
     where p.${column} = ? and p.status in ${RECEIVED}
     order by p.id`,
    [subject],
  );
  return found.map((row) => ({
    ...row,
    grossMinor: Number(row.grossMinor),
    returnedMinor: Number(row.returnedMinor),
    beforeMinor: Number(row.beforeMinor),
    periodStart: row.periodStart === null ? null : new Date(row.periodStart),
  }));
}

/** A hosted checkout charges once: its purchase has one payment. */
function addUp(sums: readonly Sum[]): Sum | null {
  const [first] = sums;
  if (!first) return null;
  return {
    currency: first.currency,
    grossMinor: sums.reduce((sum, { grossMinor }) => sum + grossMinor, 0),
    returnedMinor: sums.reduce((sum, { returnedMinor }) => sum + returnedMinor, 0),
  };
}
