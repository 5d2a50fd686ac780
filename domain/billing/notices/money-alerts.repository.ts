import { raiseAlert, withdrawAlerts } from '../../alerts/alert.repository.ts';
import type { DeletedParty } from '../../catalog/product-lifecycle.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { isRefusal, type Refusal } from '../../shared/refusal.ts';
import type { Subject } from '../processor-inbox/covered-events.repository.ts';
import { isSameMoney, type Money } from '../purchases/payment-status.ts';
import { paymentsOf } from '../purchases/payment.repository.ts';
import type { PurchaseStatus } from '../purchases/purchase-status.ts';

type MovedMoney = {
  subject: string;
  next: PurchaseStatus | null;
  isTaken: boolean;
  agreed: Money;
  paid: Money;
  deletedParty: DeletedParty | null;
};

/** Alerts of a purchase whose money needs a person. */
export async function alertOfMoney(em: EntityManager, money: MovedMoney): Promise<void> {
  const { subject, next, isTaken, agreed, paid, deletedParty } = money;
  if (isTaken) await alertOfTakenMoney(em, subject);
  if (next !== 'quarantined') return;
  await alertOfDifference(em, { subject, agreed, paid });
  if (deletedParty) await alertOfDeletedParty(em, { subject, reason: deletedParty });
}

/** Raises an alert for money of another amount or currency than agreed. */
export async function alertOfDifference(
  em: EntityManager,
  { subject, agreed, paid }: { subject: string; agreed: Money; paid: Money },
): Promise<void> {
  if (isSameMoney(paid, agreed)) return;
  const write = ({ amountMinor, currency }: Money) => `${amountMinor} ${currency}`;
  const detail = { agreed: write(agreed), paid: write(paid) };
  await raiseAlert(em, { kind: 'amount_differs', subject, detail });
}

/** The paid checkout's payment belongs to another purchase. */
async function alertOfTakenMoney(em: EntityManager, subject: string): Promise<void> {
  const detail = { reason: 'its payment was booked for another purchase' };
  await raiseAlert(em, { kind: 'processor_state', subject, detail });
}

/**
 * Money that becomes no order, because its account is deleted or its product removed, is refunded
 * by itself. The alert stays open until all of it is back.
 */
export async function alertOfDeletedParty(
  em: EntityManager,
  { subject, reason }: { subject: string; reason: DeletedParty },
): Promise<void> {
  await raiseAlert(em, { kind: 'no_order', subject, detail: { reason } });
}

/** Withdraws the alert when nothing of the refunded money is still here. */
export async function withdrawNoOrder(em: EntityManager, of: Subject): Promise<void> {
  const here = await paymentsOf(em, of)
    .select('payment.id')
    .where(({ eb, ref }) => eb('payment.returnedMinor', '<', ref('payment.grossMinor')))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('refund')
          .select('refund.id')
          .whereRef('refund.paymentId', '=', 'payment.id')
          .where('refund.reason', '=', 'not_as_agreed'),
      ),
    )
    .executeTakeFirst();
  if (here) return;
  const subject = 'purchaseId' in of ? of.purchaseId : of.membershipId;
  await withdrawAlerts(em, { kinds: ['no_order'], subject });
}

/** Alerts when an automatic refund is refused. */
export async function alertOfRefusal(
  em: EntityManager,
  purchaseId: string,
  requested: { isNew: boolean } | Refusal<string>,
): Promise<void> {
  if (!isRefusal(requested)) return;
  const detail = { reason: requested.refused };
  await raiseAlert(em, { kind: 'refund_failed', subject: purchaseId, detail });
}
