import { defineEntity, p } from '@mikro-orm/core';
import { Payment } from '../purchases/payment.entity.ts';
import { DISPUTE_STATUSES } from './dispute-status.ts';

/**
 * A bank's claim against a payment, as the processor reports it.
 * Grows with disputes; kept for good.
 */
export const Dispute = defineEntity({
  name: 'Dispute',
  properties: {
    id: p.text().primary(),
    paymentId: () => p.manyToOne(Payment).mapToPk().joinColumn('payment_id'),
    processorId: p.text().unique(),
    amountMinor: p.bigint('number'),
    currency: p.character().length(3),
    /** The processor's name of the reason. */
    reason: p.text(),
    status: p.enum(DISPUTE_STATUSES),
    /** The end of the time for an answer to the bank, where the processor names one. */
    dueAt: p.datetime(3).strictNullable(),
    /** The purchase's sequence number when the processor was asked: an older fact never wins. */
    sequence: p.bigint('number'),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    settledAt: p.datetime(3).strictNullable(),
  },
  indexes: [
    { name: 'dispute_open', properties: ['paymentId'], where: `status in ('open', 'warning')` },
    { name: 'dispute_payment', properties: ['paymentId'] },
  ],
  checks: [{ name: 'dispute_amount_minor_check', expression: `amount_minor >= 0` }],
});
