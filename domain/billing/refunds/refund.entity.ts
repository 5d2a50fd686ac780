import { defineEntity, p } from '@mikro-orm/core';
import { Payment } from '../purchases/payment.entity.ts';
import { Person } from '../../identity/person.entity.ts';
import { REFUND_STATUSES } from './refund-status.ts';

/**
 * A refund; its row is committed before the processor is asked.
 * Grows with refunds; kept for good.
 */
export const Refund = defineEntity({
  name: 'Refund',
  properties: {
    id: p.text().primary(),
    paymentId: () => p.manyToOne(Payment).mapToPk().joinColumn('payment_id'),
    amountMinor: p.bigint('number'),
    currency: p.character().length(3),
    status: p.enum(REFUND_STATUSES).default('requested'),
    requestedBy: () => p.manyToOne(Person).mapToPk().joinColumn('requested_by').strictNullable(),
    reason: p.text().strictNullable(),
    failure: p.text().strictNullable(),
    processorId: p.text().strictNullable().unique(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    settledAt: p.datetime(3).strictNullable(),
    reversedAt: p.datetime(3).strictNullable(),
  },
  indexes: [
    {
      name: 'refund_open',
      properties: ['createdAt'],
      where: `status in ('requested', 'submitted')`,
    },
    { name: 'refund_payment', properties: ['paymentId'] },
  ],
  checks: [{ name: 'refund_amount_minor_check', expression: `amount_minor > 0` }],
});
