import { raiseAlert, withdrawAlerts } from '../../alerts/alert.repository.ts';
import type { DeletedParty } from '../../catalog/listing/listing.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';
import { newPublicId } from '../../shared/ids.ts';
import { platformCutMinor } from '../../shared/money.ts';
import { isSameMoney, type Money } from './compare-paid.ts';
import { adoptEvents } from '../processor-inbox/early-event.repository.ts';
import type { Subject } from '../processor-inbox/handled-event.repository.ts';
import { recordClearing } from '../ledger/ledger.repository.ts';
import type { Reading } from './purchase-status.ts';

const PAYMENT_STATUS = { paid: 'succeeded', clearing: 'clearing', failed: 'failed' } as const;

// Of these a later reading decides; all other statuses are moved by refunds and disputes.
const NOT_RECEIVED = ['pending', 'clearing', 'failed', 'canceled'] as const;

/** The payer: a purchase, or a membership, whose money is the platform's. */
export type Payer =
  | { purchaseId: string; subscriptionId?: string | undefined }
  | { membershipId: string };

type Charge = Payer & {
  reading: Reading & { paymentIntentId: string | null };
  feeBasisPoints: number;
  /** The period of a renewal; the period of a first payment is learned later. */
  period?: { periodStart: Date; periodEnd: Date };
};

/** A payment whose money arrived with this reading. */
export type NewPayment = { paymentId: string };

/**
 * One row for each charge, by the processor's id. A later reading moves its status until its money
 * arrived; from then on only refunds and disputes move it.
 */
export async function recordPayment(em: EntityManager, charge: Charge): Promise<NewPayment | null> {
  const { reading, feeBasisPoints, period } = charge;
  const payer = toColumns(charge);
  const { paymentIntentId, amountMinor: grossMinor, currency } = reading;
  if (!paymentIntentId || !(reading.status in PAYMENT_STATUS)) return null;
  const status = PAYMENT_STATUS[reading.status as keyof typeof PAYMENT_STATUS];
  const isOwn = payer.membershipId !== null;
  const cutMinor = isOwn ? 0 : platformCutMinor(grossMinor, feeBasisPoints);
  const moved = await kysely(em)
    .insertInto('payment')
    .values({
      id: newPublicId('ch_'),
      ...payer,
      processorId: paymentIntentId,
      status,
      grossMinor,
      currency,
      cutMinor,
      ...period,
    })
    .onConflict((conflict) =>
      conflict
        .column('processorId')
        .doUpdateSet({ status, grossMinor, currency, cutMinor })
        .where('payment.status', 'in', NOT_RECEIVED),
    )
    .returning('id')
    .executeTakeFirst();
  const paid = moved && status === 'succeeded' ? { paymentId: moved.id } : null;
  if (paid) {
    const { membershipId } = payer;
    await recordClearing(em, { ...paid, grossMinor, cutMinor, currency, membershipId });
  }
  // An event about the charge may be older than its row: a dispute's event may come first.
  await adoptEvents(em, { paymentIntentId });
  return paid;
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
export async function alertOfTakenMoney(em: EntityManager, subject: string): Promise<void> {
  const detail = { reason: 'its payment was booked for another purchase' };
  await raiseAlert(em, { kind: 'processor_state', subject, detail });
}

/**
 * Money that becomes no order, because its account is deleted or its product removed, is refunded
 * by itself. The alert stays open until all of it is back.
 */
export async function alertOfNoOrder(
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

/** The payments of a purchase or of a membership. */
export const paymentsOf = (em: EntityManager, of: Subject) =>
  kysely(em)
    .selectFrom('payment')
    .where(({ eb }) =>
      'purchaseId' in of
        ? eb('payment.purchaseId', '=', of.purchaseId)
        : eb('payment.membershipId', '=', of.membershipId),
    );

function toColumns(payer: Payer) {
  if ('membershipId' in payer) {
    return { purchaseId: null, subscriptionId: null, membershipId: payer.membershipId };
  }
  const { purchaseId, subscriptionId = null } = payer;
  return { purchaseId, subscriptionId, membershipId: null };
}
