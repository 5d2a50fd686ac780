import { defineEntity, p } from '@mikro-orm/core';
import { DISPUTE_STATUSES } from './dispute-status.ts';

/** A bank's claim against a payment, as the processor reports it. */
export const Dispute = defineEntity({
  name: 'Dispute',
  properties: {
    id: p.text().primary(),
    paymentId: p.text(),
    processorId: p.text(),
    amountMinor: p.bigint('number'),
    currency: p.character().length(3),
    /** The processor's name of the reason. */
    reason: p.text(),
    status: p.enum(DISPUTE_STATUSES),
    /** Of the purchase, when the processor was asked: an older fact never wins. */
    sequence: p.bigint('number'),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    settledAt: p.datetime(3).strictNullable(),
  },
});
