import test from 'ava';
import {
  decideNextState,
  stateOf,
  type BookedCharges,
  type RenewableRow,
} from '../../../../domain/billing/recurring/next-state.ts';
import {
  decidePeriodOf,
  type SubscriptionReading,
} from '../../../../domain/billing/recurring/processor-snapshot.ts';
import {
  decideMove,
  decideReason,
  SUBSCRIPTION_STATUSES,
  type SubscriptionStatus,
} from '../../../../domain/billing/recurring/status-moves.ts';

const at = new Date('2026-03-10T12:00:00.000Z');
const day = (days: number) => new Date(at.getTime() + days * 86_400_000);

const running: RenewableRow = {
  id: 'sub_1',
  personId: 'person',
  status: 'active',
  amountMinor: 500,
  currency: 'USD',
  billingInterval: 'month',
  pastDueAt: null,
  graceEndsAt: null,
  cancelAt: null,
  endedAt: null,
  changeNumber: 0,
  isClosing: false,
  failureNotifiedAt: null,
  remindedOf: null,
};
const none = {
  pastDueAt: null,
  graceEndsAt: null,
  cancelAt: null,
  endedAt: null,
  isCutShort: false,
};
const unpaid = {
  paymentIntentId: 'pi_1',
  amountMinor: 500,
  currency: 'USD',
  status: 'open' as const,
  isFirst: false,
  periodStart: day(-1),
  periodEnd: day(29),
  attempts: 1,
  nextAttemptAt: day(1),
};

type Given = {
  status: SubscriptionStatus;
  reading?: Partial<SubscriptionReading>;
  booked?: Partial<BookedCharges>;
};
type NextState = ReturnType<typeof decideNextState>;

function follow({ status, reading, booked }: Given): NextState {
  return decideNextState(
    { ...running, status, cancelAt: status === 'canceling' ? day(9) : null },
    {
      reading: {
        processorId: 'sub_1',
        status: 'active',
        periodEnd: day(29),
        isCancelAtPeriodEnd: false,
        endedAt: null,
        charges: [],
        ...reading,
      },
      booked: {
        paid: { periodStart: day(-21), periodEnd: day(9) },
        isNotAsAgreed: false,
        ...booked,
      },
      at,
    },
  );
}

const late = { status: 'past_due' as const, charges: [unpaid] };
const over = { status: 'ended', endedAt: day(-1) } as const;
const ended = { ...none, status: 'ended', endedAt: day(-1) } as const;
const pastDue = { ...none, status: 'past_due', pastDueAt: at, graceEndsAt: day(7) } as const;

const CASES: [string, Given, NextState][] = [
  ['what has ended stays so', { status: 'ended' }, null],
  ['a reading alone does not begin one', { status: 'incomplete' }, null],
  [
    'one that runs is never incomplete again',
    { status: 'active', reading: { status: 'incomplete' } },
    null,
  ],
  [
    'one that never began ends',
    { status: 'incomplete', reading: over, booked: { paid: null } },
    { state: ended, reason: 'elapsed' },
  ],
  [
    'one that ends within its paid period is cancelled',
    { status: 'active', reading: over },
    { state: { ...ended, isCutShort: true }, reason: 'cancelled' },
  ],
  [
    'one that ends after its paid period is over',
    {
      status: 'active',
      reading: over,
      booked: { paid: { periodStart: day(-31), periodEnd: day(-1) } },
    },
    { state: ended, reason: 'elapsed' },
  ],
  [
    'wrong money ends it now',
    { status: 'canceling', booked: { isNotAsAgreed: true } },
    { state: { ...none, status: 'ended', cancelAt: day(9), endedAt: at }, reason: 'elapsed' },
  ],
  [
    'a failure makes it late',
    { status: 'active', reading: late },
    { state: pastDue, reason: 'elapsed' },
  ],
  [
    'late it stays late',
    { status: 'past_due', reading: late },
    { state: pastDue, reason: 'elapsed' },
  ],
  [
    'a cancellation lets it run out',
    { status: 'active', reading: { isCancelAtPeriodEnd: true } },
    { state: { ...none, status: 'canceling', cancelAt: day(29) }, reason: 'cancelled' },
  ],
  [
    'another end of a cancelled one is one more cancellation',
    { status: 'canceling', reading: { isCancelAtPeriodEnd: true } },
    { state: { ...none, status: 'canceling', cancelAt: day(29) }, reason: 'cancelled' },
  ],
  [
    'a cancellation is taken back',
    { status: 'canceling' },
    { state: { ...none, status: 'active' }, reason: 'resumed' },
  ],
  [
    'a cancelled one that is late goes by way of active',
    { status: 'canceling', reading: late },
    { state: { ...none, status: 'active' }, reason: 'resumed' },
  ],
];

for (const [title, given, expected] of CASES) {
  test(`following a subscription: ${title}`, (t) => t.deepEqual(follow(given), expected));
}

test('a row is a state that nothing has cut short', (t) => {
  const dates = { pastDueAt: day(1), graceEndsAt: day(2), cancelAt: day(3), endedAt: day(4) };
  t.deepEqual(stateOf({ ...running, ...dates, status: 'canceling' }), {
    ...dates,
    status: 'canceling',
    isCutShort: false,
  });
});

// Where each leads on the way to incomplete, active, past_due, canceling and ended.
const WAYS: Record<SubscriptionStatus, (SubscriptionStatus | null)[]> = {
  incomplete: [null, 'active', 'active', 'active', 'ended'],
  active: [null, null, 'past_due', 'canceling', 'ended'],
  past_due: [null, 'active', null, 'canceling', 'ended'],
  canceling: [null, 'active', 'active', null, 'ended'],
  ended: [null, null, null, null, null],
};

for (const [from, ways] of Object.entries(WAYS) as [SubscriptionStatus, typeof WAYS.ended][]) {
  test(`from ${from} a status goes along an arrow, or by way of active`, (t) => {
    const statuses = Object.keys(WAYS) as SubscriptionStatus[];
    t.deepEqual([...SUBSCRIPTION_STATUSES], statuses);
    const reached = statuses.map((to) => decideMove(from, to));
    t.deepEqual(reached, ways);
  });
}

test('only what is taken back is resumed, and only what is cut short or runs out is cancelled', (t) => {
  for (const from of SUBSCRIPTION_STATUSES) {
    for (const isCutShort of [false, true]) {
      const reasonOf = (to: SubscriptionStatus) => decideReason(from, { to, isCutShort });
      t.is(reasonOf('canceling'), 'cancelled');
      t.is(reasonOf('active'), from === 'canceling' ? 'resumed' : 'elapsed');
      t.is(reasonOf('past_due'), 'elapsed');
      t.is(reasonOf('ended'), isCutShort ? 'cancelled' : 'elapsed');
    }
  }
});

test('a charge is for the current period, an older one, or one that nobody has accepted', (t) => {
  const periodOf = (charged: Date | null, current: Date | null) =>
    decidePeriodOf({ periodStart: charged }, { periodStart: current });
  t.is(periodOf(null, null), 'current');
  t.is(periodOf(at, at), 'current');
  t.is(periodOf(day(-1), at), 'older');
  t.is(periodOf(null, at), 'older');
  t.is(periodOf(day(1), at), 'beyond');
  t.is(periodOf(at, null), 'beyond');
});
