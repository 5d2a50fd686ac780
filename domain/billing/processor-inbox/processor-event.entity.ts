import { defineEntity, p } from '@mikro-orm/core';
import { Membership } from '../../entitlements/memberships/membership.entity.ts';
import { Purchase } from '../purchases/purchase.entity.ts';
import { Person } from '../../identity/person.entity.ts';
import { Subscription } from '../product-subscriptions/subscription.entity.ts';

/**
 * The inbox of the processor's events: one row for each event, written before the response.
 * Grows with the processor's events; kept for 90 days after it was handled; removed by
 * `removeHandledEvents`. Its body is a row of its own, so that it can go by month.
 */
export const ProcessorEvent = defineEntity({
  name: 'ProcessorEvent',
  properties: {
    processor: p.text().primary(),
    id: p.text().primary(),
    type: p.text(),
    purchaseId: () => p.manyToOne(Purchase).mapToPk().joinColumn('purchase_id').strictNullable(),
    subscriptionId: () =>
      p.manyToOne(Subscription).mapToPk().joinColumn('subscription_id').strictNullable(),
    membershipId: () =>
      p.manyToOne(Membership).mapToPk().joinColumn('membership_id').strictNullable(),
    bodyId: p.uuid().defaultRaw('time_ordered_id()'),
    receivedAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    handledAt: p.datetime(3).strictNullable(),
    deadLetterReason: p.text().strictNullable(),
    /** The instant at which an operator decided not to follow the event. */
    setAsideAt: p.datetime(3).strictNullable(),
    setAsideBy: () => p.manyToOne(Person).mapToPk().joinColumn('set_aside_by').strictNullable(),
    setAsideNote: p.text().strictNullable(),
  },
  uniques: [{ name: 'processor_event_body_id', properties: ['bodyId'] }],
  indexes: [
    {
      name: 'processor_event_account',
      properties: ['receivedAt', 'id'],
      where: `type = 'account.updated' and handled_at is null and dead_letter_reason is null`,
    },
    {
      name: 'processor_event_dead_lettered',
      properties: ['receivedAt', 'id'],
      where: `dead_letter_reason is not null and handled_at is null`,
    },
    { name: 'processor_event_handled', properties: ['handledAt'], where: `handled_at is not null` },
    {
      name: 'processor_event_of_membership',
      properties: ['membershipId'],
      where: `membership_id is not null and handled_at is null`,
    },
    {
      name: 'processor_event_of_subscription',
      properties: ['subscriptionId'],
      where: `subscription_id is not null and handled_at is null`,
    },
    { name: 'processor_event_open', properties: ['purchaseId'], where: `handled_at is null` },
    {
      name: 'processor_event_waiting',
      properties: ['receivedAt'],
      where: `handled_at is null and dead_letter_reason is null`,
    },
  ],
  checks: [
    {
      name: 'processor_event_set_aside_note_check',
      expression: `length(set_aside_note) >= 1 and length(set_aside_note) <= 500`,
    },
    {
      name: 'processor_event_set_aside',
      expression: `num_nonnulls(set_aside_at, set_aside_by, set_aside_note) in (0, 3) and (set_aside_at is null or handled_at is not null)`,
    },
  ],
});

/**
 * Grows with the processor's events; kept for as long as an event of its month; dropped by
 * `drop_partition`.
 */
export const ProcessorEventBody = defineEntity({
  name: 'ProcessorEventBody',
  properties: {
    id: p.uuid().primary(),
    body: p.json<unknown>(),
  },
});

/**
 * A list of the processor was read up to here; the next read begins a little earlier.
 * Grows with lists of the processor, one row each; kept for good.
 */
export const ProcessorMark = defineEntity({
  name: 'ProcessorMark',
  properties: {
    processor: p.text().primary(),
    list: p.text().primary(),
    seenUntil: p.datetime(3),
  },
});
