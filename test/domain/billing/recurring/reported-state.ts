import test from 'ava';
import {
  decideState,
  type PriorState,
  type SubscriptionState,
} from '../../../../domain/billing/recurring/reported-state.ts';
import type {
  ChargeReading,
  SubscriptionReading,
} from '../../../../domain/billing/recurring/processor-snapshot.ts';

import { DAY_MS } from '../../../../domain/shared/instant.ts';
import { at, day, readingOf } from '../../../support/purchases/subscription-facts.ts';

const charge = (
  status: ChargeReading['status'],
  dueAt: Date,
  nextAttemptAt: Date | null = null,
) => ({
  paymentIntentId: 'pi_1',
  amountMinor: 500,
  currency: 'USD',
  status,
  isFirst: false,
  periodStart: dueAt,
  periodEnd: new Date(dueAt.getTime() + 30 * DAY_MS),
  attempts: 1,
  nextAttemptAt,
});
const paid = charge('paid', day(-31));
const [late, cancelled] = [{ status: 'past_due' }, { isCancelAtPeriodEnd: true }] as const;
const over = (endedAt: Date | null) => ({ status: 'ended', endedAt }) as const;
const none = { pastDueAt: null, graceEndsAt: null, cancelAt: null, endedAt: null };

type Case = [
  title: string,
  reading: Partial<SubscriptionReading>,
  expected: Partial<SubscriptionState>,
  known?: Partial<PriorState>,
];

const CASES: Case[] = [
  ['its first payment has not arrived', { status: 'incomplete' }, { status: 'incomplete' }],
  ['it renews', {}, { status: 'active' }],
  ['it is cancelled', cancelled, { status: 'canceling', cancelAt: day(29) }],
  [
    'a charge that is tried again has until day 8',
    { ...late, charges: [paid, charge('open', day(-1), day(1))] },
    { status: 'past_due', pastDueAt: at, graceEndsAt: day(7) },
  ],
  [
    'it is late since the first reading that said so',
    { ...late, charges: [paid, charge('open', day(-1), day(1))] },
    { status: 'past_due', pastDueAt: day(-0.5), graceEndsAt: day(7) },
    { pastDueAt: day(-0.5) },
  ],
  [
    'cancelled while it is late, it ends with its grace',
    { ...late, ...cancelled, charges: [charge('open', day(-1), day(1))] },
    { status: 'canceling', pastDueAt: at, graceEndsAt: day(7), cancelAt: day(7) },
  ],
  [
    'grace is over with the instant of its end',
    { ...late, charges: [charge('open', day(-8), day(1))] },
    { status: 'ended', pastDueAt: at, graceEndsAt: at, endedAt: at },
  ],
  [
    'grace that was over before ended it then',
    { ...late, charges: [charge('open', day(-9), day(1))] },
    { status: 'ended', pastDueAt: at, graceEndsAt: day(-1), endedAt: day(-1) },
  ],
  [
    'a charge that is not tried any more ends it now',
    { ...late, charges: [charge('void', day(-1), day(1))] },
    { status: 'ended', pastDueAt: at, graceEndsAt: at, endedAt: at },
  ],
  [
    'such a charge of long ago ended it on day 8',
    { ...late, charges: [charge('void', day(-10)), paid] },
    { status: 'ended', pastDueAt: at, graceEndsAt: day(-2), endedAt: day(-2) },
  ],
  [
    'without an unpaid charge the end of the paid period counts',
    late,
    { status: 'ended', pastDueAt: at, graceEndsAt: day(-2), endedAt: day(-2) },
    { periodEnd: day(-10) },
  ],
  [
    'without a period the reading that said late first',
    late,
    { status: 'ended', pastDueAt: day(-9), graceEndsAt: day(-1), endedAt: day(-1) },
    { periodEnd: null, pastDueAt: day(-9) },
  ],
  [
    'without anything this reading',
    late,
    { status: 'ended', pastDueAt: at, graceEndsAt: at, endedAt: at },
    { periodEnd: null },
  ],
  ['it ended with its period', over(day(-1)), { status: 'ended', endedAt: day(-1) }],
  [
    'it ended in the middle of what was paid for',
    over(day(-2)),
    { status: 'ended', endedAt: day(-2), isCutShort: true },
  ],
  [
    'it ended without a paid period',
    over(day(-2)),
    { status: 'ended', endedAt: day(-2) },
    { periodEnd: null },
  ],
  ['nobody knows when it ended', over(null), { status: 'ended', endedAt: at }],
  [
    'it ended in the future, by a clock that is ahead',
    over(day(1)),
    { status: 'ended', endedAt: at },
  ],
  [
    'it ended late',
    over(day(-2)),
    { status: 'ended', pastDueAt: day(-3), graceEndsAt: day(-2), endedAt: day(-2) },
    { pastDueAt: day(-3) },
  ],
  ...(['open', 'void'] as const).map((status): Case => [
    `it ended with its last charge ${status}`,
    { ...over(day(-2)), charges: [paid, charge(status, day(-3))] },
    { status: 'ended', pastDueAt: day(-2), graceEndsAt: day(-2), endedAt: day(-2) },
  ]),
  [
    'it ended after an unpaid charge and a paid one',
    { ...over(day(-1)), charges: [charge('open', day(-60)), paid] },
    { status: 'ended', endedAt: day(-1) },
  ],
];

for (const [title, given, expected, known] of CASES) {
  test(`the state of a subscription: ${title}`, (t) => {
    const before = { periodEnd: day(-1), pastDueAt: null, graceEndsAt: null, ...known };
    const state = { ...none, isCutShort: false, ...expected };
    t.deepEqual(decideState(readingOf([paid], given), before, at), state as SubscriptionState);
  });
}
