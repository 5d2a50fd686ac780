import type { EntityManager } from '../../../platform/database/database.ts';
import { NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { alertOfDifference, alertOfDeletedParty } from '../notices/money-alerts.repository.ts';
import { recordPayment, type NewPayment, type Payer } from '../purchases/payment.repository.ts';
import type { DeletedParty } from '../../catalog/product-lifecycle.repository.ts';
import type { ChargeReading } from './processor-snapshot.ts';
import { decideRenewal } from './decide-renewal.ts';
import { issueChargeReceipt } from './charge-receipt.repository.ts';
import type { Period, RenewableRow, BookedCharges } from './next-state.ts';

type ReceivedCharge = ChargeReading & { status: 'paid' | 'clearing' };

type Renewals = {
  /** Locked. */
  renewed: RenewableRow;
  payer: Payer;
  charges: ChargeReading[];
  feeBasisPoints: number;
  /** The last paid period before. */
  paid: Period | null;
  /** Returns null while the person and the product exist. */
  findDeletedParty(): Promise<DeletedParty | null>;
  /** Renews the access. */
  renew(): Promise<void>;
  /** Refunds a charge that came after the end or not as agreed. */
  sendBack(charge: ChargeReading, payment: NewPayment): Promise<void>;
};

export function isReceived(charge: ChargeReading): charge is ReceivedCharge {
  return charge.status === 'paid' || charge.status === 'clearing';
}

/** Returns null for a charge that is booked, or has not arrived. */
export async function bookCharge(
  em: EntityManager,
  { payer, feeBasisPoints }: Pick<Renewals, 'payer' | 'feeBasisPoints'>,
  charge: ReceivedCharge,
): Promise<NewPayment | null> {
  const { paymentIntentId, status, amountMinor, currency } = charge;
  const { periodStart, periodEnd } = charge;
  return recordPayment(em, {
    ...payer,
    reading: { status, amountMinor, currency, paymentIntentId },
    feeBasisPoints,
    period: { periodStart, periodEnd },
  });
}

/** A clearing charge failed, so nothing of it can be refunded; another try may come. */
export async function recordFailure(em: EntityManager, charge: ChargeReading): Promise<void> {
  await kysely(em)
    .with('failed', (db) =>
      db
        .updateTable('payment')
        .set({ status: 'failed' })
        .where('processorId', '=', charge.paymentIntentId)
        .where('status', '=', 'clearing')
        .returning('id'),
    )
    .updateTable('refund')
    .from('failed')
    .set({ status: 'canceled', settledAt: NOW })
    .whereRef('refund.paymentId', '=', 'failed.id')
    .where('refund.status', '=', 'requested')
    .execute();
}

function subjectOf({ payer }: Renewals): string {
  return 'purchaseId' in payer ? payer.purchaseId : payer.membershipId;
}

/** Books every renewal that arrived, each once: it renews, or it is refunded. */
export async function acceptRenewals(em: EntityManager, charged: Renewals): Promise<BookedCharges> {
  const { renewed, charges } = charged;
  const booked: BookedCharges = { paid: charged.paid, isNotAsAgreed: false };
  for (const charge of charges) {
    if (charge.isFirst) continue;
    if (!isReceived(charge)) {
      await recordFailure(em, charge);
      continue;
    }
    const payment = await bookCharge(em, charged, charge);
    if (!payment) continue;
    const deletedParty = await charged.findDeletedParty();
    const decision = decideRenewal(charge, renewed, { ...booked, isPartyDeleted: !!deletedParty });
    if (decision === 'send_back') {
      booked.isNotAsAgreed = renewed.status !== 'ended';
      if (deletedParty)
        await alertOfDeletedParty(em, { subject: subjectOf(charged), reason: deletedParty });
      await charged.sendBack(charge, payment);
    } else if (decision === 'accept') {
      await charged.renew();
      await issueChargeReceipt(em, payment.paymentId);
      booked.paid = { periodStart: charge.periodStart, periodEnd: charge.periodEnd };
    } else {
      booked.isNotAsAgreed = true;
      await alertOfDifference(em, { subject: renewed.id, agreed: renewed, paid: charge });
      await charged.sendBack(charge, payment);
    }
  }
  return booked;
}
