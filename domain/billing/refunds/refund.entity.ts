import { defineEntity, p } from '@mikro-orm/core';
import { REFUND_STATUSES } from './refund-status.ts';

/** A refund; its row is committed before the processor is asked. */
export const Refund = defineEntity({
  name: 'Refund',
  properties: {
    id: p.text().primary(),
    paymentId: p.text(),
    amountMinor: p.bigint('number'),
    currency: p.character().length(3),
    status: p.enum(REFUND_STATUSES).default('requested'),
    requestedBy: p.uuid().strictNullable(),
    reason: p.text().strictNullable(),
    failure: p.text().strictNullable(),
    processorId: p.text().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    settledAt: p.datetime(3).strictNullable(),
    reversedAt: p.datetime(3).strictNullable(),
  },
});
