import type { EntityManager } from '../../../platform/database/database.ts';
import { ago, anyOf } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { newPublicId } from '../../shared/ids.ts';
import { platformCutMinor } from '../../shared/money.ts';
import { RECEIVED_STATUSES } from './payment-status.ts';
import { adoptEvents } from '../processor-inbox/early-event.repository.ts';
import type { Subject } from '../processor-inbox/covered-events.repository.ts';
import { recordClearing } from '../ledger/ledger.repository.ts';
import { Payment } from './payment.entity.ts';
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

// The processor's fee of a Member charge is the platform's cost and no part of the ledger: the
// creator pool alone reads it. A fee that is not known by then is not asked for any more.
const ASKED_FOR = '35 days';

/** The charges of a membership whose fee may still become known. */
export async function listChargesWithoutFee(em: EntityManager, membershipId: string) {
  return kysely(em)
    .selectFrom('payment')
    .select(['id as paymentId', 'processorId'])
    .where('membershipId', '=', membershipId)
    .where('status', '=', anyOf(RECEIVED_STATUSES))
    .where('processorFeeMinor', 'is', null)
    .where('createdAt', '>', ago(ASKED_FOR))
    .orderBy('createdAt')
    .execute();
}

/** What is known stays: frozen months of the pool were counted with it. */
export async function recordProcessorFee(
  em: EntityManager,
  { paymentId, feeMinor }: { paymentId: string; feeMinor: number },
): Promise<void> {
  const unknown = { id: paymentId, processorFeeMinor: null };
  await em.nativeUpdate(Payment, unknown, { processorFeeMinor: feeMinor });
}
