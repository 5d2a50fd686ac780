import test from 'ava';
import {
  decideSubscriptionAskAgainMs,
  decideDue,
  waitForDueMs,
  type DueFacts,
} from '../../../../domain/billing/recurring/next-check.ts';
import type {
  ChargeReading,
  SubscriptionReading,
} from '../../../../domain/billing/recurring/processor-snapshot.ts';
import {
  decideState,
  type PriorState,
} from '../../../../domain/billing/recurring/reported-state.ts';
import {
  decideReason,
  decideMove,
  SUBSCRIPTION_STATUSES,
  type SubscriptionStatus,
} from '../../../../domain/billing/recurring/status-moves.ts';
import { at, day, MONTHLY, readingOf } from '../../../support/purchases/subscription-facts.ts';

const TEN_MINUTES_MS = 600_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const ARROWS: Record<SubscriptionStatus, SubscriptionStatus[]> = {
  incomplete: ['active', 'ended'],
  active: ['past_due', 'canceling', 'ended'],
  past_due: ['active', 'canceling', 'ended'],
  canceling: ['active', 'ended'],
  ended: [],
};

test('statuses move only along the arrows', (t) => {
  for (const from of SUBSCRIPTION_STATUSES) {
    for (const to of SUBSCRIPTION_STATUSES) {
      const next = decideMove(from, to);
      if (ARROWS[from].includes(to)) t.is(next, to, `${from} to ${to}`);
      else t.true(next === null || ARROWS[from].includes(next), `${from} to ${to}: ${next}`);
    }
  }
  t.is(decideMove('canceling', 'past_due'), 'active', 'by way of active');
  t.is(decideMove('ended', 'active'), null);
});

test('what a move is to the access', (t) => {
  const whole = { isCutShort: false };
  t.is(decideReason('active', { to: 'canceling', ...whole }), 'cancelled');
  t.is(decideReason('canceling', { to: 'active', ...whole }), 'resumed');
  t.is(decideReason('past_due', { to: 'active', ...whole }), 'elapsed');
  t.is(decideReason('active', { to: 'past_due', ...whole }), 'elapsed');
  t.is(decideReason('past_due', { to: 'ended', ...whole }), 'elapsed');
  t.is(decideReason('active', { to: 'ended', isCutShort: true }), 'cancelled');
});

const paid: ChargeReading = {
  paymentIntentId: 'pi_1',
  amountMinor: 500,
  currency: 'USD',
  status: 'paid',
  isFirst: true,
  periodStart: day(-31),
  periodEnd: day(-1),
  attempts: 1,
  nextAttemptAt: null,
};
const open = (nextAttemptAt: Date | null, dueAt = day(-1)): ChargeReading => ({
  ...paid,
  status: 'open',
  isFirst: false,
  periodStart: dueAt,
  periodEnd: day(29),
  nextAttemptAt,
});
const reading = (given: Partial<SubscriptionReading>) => readingOf([paid], given);
const nothing: PriorState = { periodEnd: day(-1), pastDueAt: null, graceEndsAt: null };

const PRODUCT_ROLES: [string, Partial<SubscriptionReading>, object, Partial<PriorState>?][] = [
  ['renews', {}, { status: 'active', graceEndsAt: null, cancelAt: null }],
  ['cancelled', { isCancelAtPeriodEnd: true }, { status: 'canceling', cancelAt: day(29) }],
  [
    'fails, and is tried again: grace until day 8',
    { status: 'past_due', charges: [paid, open(day(0.5))] },
    { status: 'past_due', graceEndsAt: day(7), pastDueAt: at },
  ],
  [
    'fails for good: grace ends with the answer',
    { status: 'past_due', charges: [paid, open(null)] },
    { status: 'ended', endedAt: at, isCutShort: false },
  ],
  [
    'day 8 is over, whatever is still to be tried',
    { status: 'past_due', charges: [paid, open(day(2), day(-8))] },
    { status: 'ended', endedAt: day(0) },
  ],
  [
    'of two unpaid periods the later one has its grace',
    { status: 'past_due', charges: [open(null, day(-32)), open(day(0.5))] },
    { status: 'past_due', graceEndsAt: day(7) },
  ],
  [
    'cancelled while it fails: until the end of grace',
    { status: 'past_due', isCancelAtPeriodEnd: true, charges: [paid, open(day(0.5))] },
    { status: 'canceling', cancelAt: day(7), graceEndsAt: day(7) },
  ],
  [
    'ended after its period',
    { status: 'ended', endedAt: day(-1) },
    { status: 'ended', endedAt: day(-1), isCutShort: false },
  ],
  [
    'ended in the middle of what was paid for',
    { status: 'ended', endedAt: day(-2) },
    { status: 'ended', isCutShort: true },
  ],
  [
    'ended in the future, by a clock that is ahead',
    { status: 'ended', endedAt: day(1) },
    { status: 'ended', endedAt: at },
  ],
  [
    'ended because nothing was paid',
    { status: 'ended', endedAt: day(-0.5), charges: [paid, open(null)] },
    { status: 'ended', isCutShort: false, graceEndsAt: day(-0.5) },
    { periodEnd: day(3) },
  ],
];

for (const [title, given, expected, known = {}] of PRODUCT_ROLES) {
  test(`how a subscription stands: ${title}`, (t) => {
    t.like(decideState(reading(given), { ...nothing, ...known }, at), expected);
  });
}

test('what a subscription waits for', (t) => {
  const due = (given: Partial<DueFacts>) => decideDue({ ...MONTHLY, ...given });
  t.deepEqual(due({}), { what: 'renewal', at: new Date(day(20).getTime() + 2 * HOUR_MS) });
  t.deepEqual(due({ billingInterval: 'year' }), { what: 'reminder', at: day(13) });
  t.is(due({ billingInterval: 'year', remindedOf: day(20) })?.what, 'renewal');
  const failing = { status: 'past_due', pastDueAt: at, graceEndsAt: day(8) } as const;
  t.deepEqual(due(failing), { what: 'failure mail', at: new Date(at.getTime() + 25 * HOUR_MS) });
  t.deepEqual(due({ ...failing, failureNotifiedAt: day(1) }), { what: 'grace', at: day(8) });
  t.is(due({ status: 'canceling', cancelAt: day(20) })?.what, 'end');
  t.is(due({ status: 'ended' }), null);
  t.is(due({ status: 'incomplete' }), null);
});

test('what is overdue is asked after every six hours, for ever', (t) => {
  t.is(waitForDueMs({ what: 'renewal', at: day(-3) }, at), 6 * HOUR_MS);
  t.is(waitForDueMs({ what: 'renewal', at: day(3) }, at), 3 * DAY_MS);
});

test('reconciliation asks ten minutes after the actor should have, and looks once more at what has ended', (t) => {
  const due = { what: 'renewal', at: day(3) } as const;
  const known = { isClosing: false, wasOver: false, isClearing: false, endedAt: null };
  const ask = { ...known, due, status: 'active' } as const;
  t.is(decideSubscriptionAskAgainMs(ask, at), 3 * DAY_MS + TEN_MINUTES_MS);
  const ended = { ...ask, due: null, status: 'ended', endedAt: day(-1) } as const;
  t.is(decideSubscriptionAskAgainMs({ ...ended, isClosing: true }, at), TEN_MINUTES_MS);
  t.is(decideSubscriptionAskAgainMs(ended, at), 10 * DAY_MS);
  t.is(decideSubscriptionAskAgainMs({ ...ended, status: 'incomplete' }, at), null);
});

test('the last look at what has ended stays where it was when its end is received again', (t) => {
  const known = { due: null, status: 'ended', isClosing: false, isClearing: false } as const;
  const over = (endedAt: Date) =>
    decideSubscriptionAskAgainMs({ ...known, wasOver: true, endedAt }, at);
  t.is(over(at), 10 * DAY_MS);
  t.is(over(day(-4)), 6 * DAY_MS);
  t.is(over(day(-10)), null);
});

test('money that is on its way is asked about, whatever has become of what it was for', (t) => {
  const known = { due: null, isClosing: false, wasOver: true, isClearing: true } as const;
  t.is(
    decideSubscriptionAskAgainMs({ ...known, status: 'incomplete', endedAt: null }, at),
    12 * HOUR_MS,
  );
  t.is(
    decideSubscriptionAskAgainMs({ ...known, status: 'ended', endedAt: day(-40) }, at),
    12 * HOUR_MS,
  );
});
