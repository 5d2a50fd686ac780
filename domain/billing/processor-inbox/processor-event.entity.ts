import { defineEntity, p } from '@mikro-orm/core';

/** The inbox of the processor's events: one row for each event, written before the response. */
export const ProcessorEvent = defineEntity({
  name: 'ProcessorEvent',
  properties: {
    processor: p.text().primary(),
    id: p.text().primary(),
    type: p.text(),
    purchaseId: p.text().strictNullable(),
    subscriptionId: p.text().strictNullable(),
    membershipId: p.uuid().strictNullable(),
    body: p.json<unknown>(),
    receivedAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    handledAt: p.datetime(3).strictNullable(),
    deadLetterReason: p.text().strictNullable(),
    /** By an operator, who decided not to follow it. */
    setAsideAt: p.datetime(3).strictNullable(),
    setAsideBy: p.uuid().strictNullable(),
    setAsideNote: p.text().strictNullable(),
  },
});
