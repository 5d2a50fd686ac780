import test from 'ava';
import {
  decideFailedAttempts,
  type AttemptCount,
} from '../../../../domain/billing/recurring/failed-attempts.ts';
import type { ChargeReading } from '../../../../domain/billing/recurring/processor-snapshot.ts';
import { RUNNING } from '../../../../domain/billing/recurring/reported-state.ts';
import { day } from '../../../support/purchases/subscription-facts.ts';

const failing: ChargeReading = {
  paymentIntentId: 'pi_2',
  amountMinor: 500,
  currency: 'USD',
  status: 'open',
  isFirst: false,
  periodStart: day(0),
  periodEnd: day(30),
  attempts: 2,
  nextAttemptAt: day(3),
};
const first: ChargeReading = { ...failing, status: 'paid', isFirst: true, periodStart: day(-30) };
const pastDue = { ...RUNNING, status: 'past_due' as const, graceEndsAt: day(8) };
const NONE: AttemptCount = { failedPeriod: null, failedAttempts: 0 };
const counted = (failedAttempts: number, failedPeriod = day(0)) => ({
  failedPeriod,
  failedAttempts,
});

type Case = {
  title: string;
  known?: AttemptCount;
  charge?: Partial<ChargeReading>;
  state?: Partial<typeof pastDue> | object;
  expected: object | null;
};

const CASES: Case[] = [
  {
    title: 'each attempt that nobody read before is one event',
    expected: {
      counted: counted(2),
      newAttempts: 2,
      amountMinor: 500,
      currency: 'USD',
      nextAttemptAt: day(3),
      accessUntil: day(8),
    },
  },
  { title: 'a counted attempt is none', known: counted(2), expected: null },
  { title: 'one more attempt is one', known: counted(1), expected: { newAttempts: 1 } },
  { title: 'fewer attempts than counted are none', known: counted(3), expected: null },
  {
    title: 'a later period counts from its own first attempt',
    known: counted(5, day(-30)),
    expected: { counted: counted(2), newAttempts: 2 },
  },
  { title: 'an older period is over', known: counted(1, day(30)), expected: null },
  { title: 'a bill that was not tried has not failed', charge: { attempts: 0 }, expected: null },
  { title: 'a bill that was paid has not failed', charge: { status: 'paid' }, expected: null },
  { title: 'a charge under way has not failed', charge: { status: 'clearing' }, expected: null },
  { title: 'a first payment is no renewal', charge: { isFirst: true }, expected: null },
  { title: 'the status follows in the next reading', state: { graceEndsAt: null }, expected: null },
  {
    title: 'the last attempt has no next',
    charge: { status: 'void', nextAttemptAt: null },
    state: { graceEndsAt: day(7), endedAt: day(7) },
    expected: { nextAttemptAt: null, accessUntil: day(7) },
  },
  {
    title: 'an attempt after the end of grace is not made',
    charge: { nextAttemptAt: day(9) },
    expected: { nextAttemptAt: null },
  },
  {
    title: 'nor one at the end of grace',
    charge: { nextAttemptAt: day(8) },
    expected: { nextAttemptAt: null },
  },
  {
    title: 'a subscription that has ended is not charged again',
    state: { endedAt: day(2) },
    expected: { nextAttemptAt: null },
  },
];

for (const { title, known = NONE, charge = {}, state = {}, expected } of CASES) {
  test(title, (t) => {
    const facts = { charges: [first, { ...failing, ...charge }], state: { ...pastDue, ...state } };
    const decided = decideFailedAttempts(known, facts);
    if (expected === null) t.is(decided, null);
    else t.like(decided, expected);
  });
}
