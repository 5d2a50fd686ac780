import { defineEntity, p } from '@mikro-orm/core';
import { DISPUTE_STATUSES } from './dispute-status.ts';

/** What a bank says against a payment: a fact of the processor. */
export const Dispute = defineEntity({
  name: 'Dispute',
  properties: {
    id: p.text().primary(),
    paymentId: p.text(),
    processorId: p.text(),
    amountMinor: p.bigint('number'),
    currency: p.character().length(3),
    /** The processor's word for it. */
    reason: p.text(),
    status: p.enum(DISPUTE_STATUSES),
    /** Of the purchase, when the processor was asked: an older fact never wins. */
    ticket: p.bigint('number'),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    settledAt: p.datetime(3).strictNullable(),
  },
});
