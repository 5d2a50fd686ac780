import test from 'ava';
import {
  decideMembershipMove,
  restOf,
  type CurrentMoney,
  type MembershipMove,
} from '../../../../domain/billing/memberships/membership-move.ts';
import type { Period } from '../../../../domain/billing/recurring/next-state.ts';
import type { SubscriptionReading } from '../../../../domain/billing/recurring/processor-snapshot.ts';

const START = Date.UTC(2026, 10, 1);
const day = (days: number) => new Date(START + days * 86_400_000);

const none = { pastDueAt: null, graceEndsAt: null, cancelAt: null, endedAt: null };
const running = {
  ...none,
  id: 'm',
  personId: 'p',
  status: 'active',
  amountMinor: 999,
  currency: 'USD',
  billingInterval: 'month',
  changeNumber: 0,
  isClosing: false,
  failureNotifiedAt: null,
  remindedOf: null,
  endsAt: null,
  withdrawnAt: null,
} as const;

type Row = Parameters<typeof decideMembershipMove>[0]['before'];

type Given = {
  row?: Partial<Row>;
  /** What the booking has made of the row. */
  booked?: Partial<Row>;
  reading?: Partial<SubscriptionReading>;
  paid?: Period | null;
  money?: CurrentMoney;
  at?: Date;
};

/** Paid for from day 0 to day 30. */
function decide({ row, booked, reading, paid, money = null, at = day(10) }: Given): MembershipMove {
  const before: Row = { ...running, ...row };
  const period = paid === undefined ? { periodStart: day(0), periodEnd: day(30) } : paid;
  return decideMembershipMove({
    before,
    booked: { paid: period, isNotAsAgreed: false, membership: { ...before, ...booked } },
    reading: {
      processorId: 'sub',
      status: 'active',
      periodEnd: day(30),
      isCancelAtPeriodEnd: false,
      endedAt: null,
      charges: [],
      ...reading,
    },
    money,
    at,
  });
}

const unpaid = {
  paymentIntentId: 'pi_1',
  amountMinor: 999,
  currency: 'USD',
  status: 'open',
  isFirst: false,
  periodStart: day(30),
  periodEnd: day(60),
  attempts: 1,
  nextAttemptAt: day(33),
} as const;
const cancelled = { status: 'canceling', cancelAt: day(30), endsAt: day(30) } as const;
const late = {
  status: 'past_due',
  pastDueAt: day(30),
  graceEndsAt: day(38),
  endsAt: day(38),
} as const;
const served = { status: 'ended', endedAt: day(10), endsAt: day(30) } as const;
const whole = { ...none, isCutShort: false };
const move = (state: object, moved: object = {}) =>
  ({
    state: { ...whole, ...state },
    endsAt: null,
    withdrawnAt: null,
    reason: null,
    ...moved,
  }) as MembershipMove;

const CASES: [string, Given, MembershipMove][] = [
  ['it renews in silence', {}, move({ status: 'active' })],
  [
    'its grace begins in silence',
    { reading: { status: 'past_due', charges: [unpaid] }, at: day(31) },
    move({ status: 'past_due', pastDueAt: day(31), graceEndsAt: day(38) }, { endsAt: day(38) }),
  ],
  [
    'cancelled, it lasts until the end of its period',
    { reading: { isCancelAtPeriodEnd: true } },
    move({ status: 'canceling', cancelAt: day(30) }, { endsAt: day(30), reason: 'cancelled' }),
  ],
  ['resumed, it has no end', { row: cancelled }, move({ status: 'active' }, { reason: 'resumed' })],
  [
    'its end is told',
    { row: cancelled, reading: { status: 'ended', endedAt: day(30) }, at: day(31) },
    move({ status: 'ended', endedAt: day(30) }, { endsAt: day(30), reason: 'elapsed' }),
  ],
  [
    'ended within its grace, it gives no more',
    { row: late, reading: { status: 'ended', endedAt: day(33) }, at: day(34) },
    move(
      { status: 'ended', pastDueAt: day(30), graceEndsAt: day(33), endedAt: day(33) },
      { endsAt: day(33), reason: 'elapsed' },
    ),
  ],
  [
    'an end that was announced for earlier stays',
    {
      row: { ...cancelled, endsAt: day(29) },
      reading: { status: 'ended', endedAt: day(30) },
      at: day(31),
    },
    move({ status: 'ended', endedAt: day(30) }, { endsAt: day(29), reason: 'elapsed' }),
  ],
  [
    'ended within its period it is cancelled',
    { reading: { status: 'ended', endedAt: day(10) } },
    move(
      { status: 'ended', endedAt: day(10), isCutShort: true },
      { endsAt: day(10), reason: 'cancelled' },
    ),
  ],
  [
    'a reading from before its first payment changes nothing',
    {
      row: late,
      booked: { status: 'active', pastDueAt: null, graceEndsAt: null },
      reading: { status: 'incomplete' },
    },
    move({ status: 'active' }, { endsAt: day(38) }),
  ],
  [
    'without its money it is over at the end that it had',
    { row: { ...cancelled, endsAt: day(29) }, money: 'gone' },
    move(
      { status: 'ended', cancelAt: day(30), endedAt: day(10) },
      { endsAt: day(29), withdrawnAt: day(10), reason: 'refunded' },
    ),
  ],
  [
    'without its money and a paid period it is over now',
    { paid: null, money: 'gone' },
    move(
      { status: 'ended', endedAt: day(10) },
      { endsAt: day(10), withdrawnAt: day(10), reason: 'refunded' },
    ),
  ],
  [
    'money that is back with the end of what was served takes nothing',
    { row: served, money: 'gone', at: day(30) },
    move({ status: 'ended', endedAt: day(30) }, { endsAt: day(30), reason: 'elapsed' }),
  ],
  [
    'nor does money that is back later',
    { row: served, money: 'gone', at: day(31) },
    move({ status: 'ended', endedAt: day(30) }, { endsAt: day(30), reason: 'elapsed' }),
  ],
];

for (const [title, given, expected] of CASES) {
  test(`a membership moves: ${title}`, (t) => t.deepEqual(decide(given), expected));
}

test('what has not ended, is withdrawn, or has no end has no rest', (t) => {
  const ended = { ...served, withdrawnAt: null };
  t.deepEqual(restOf(ended), day(30));
  t.is(restOf({ ...ended, status: 'canceling' }), null);
  t.is(restOf({ ...ended, withdrawnAt: day(10) }), null);
  t.is(restOf({ ...ended, endedAt: null }), null);
  t.is(restOf({ ...ended, endsAt: null }), null);
});
