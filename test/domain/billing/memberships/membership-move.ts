import test from 'ava';
import {
  decideMembershipMove,
  restOf,
  type CurrentMoney,
} from '../../../../domain/billing/memberships/membership-move.ts';

const START = Date.UTC(2026, 10, 1);
const day = (days: number) => new Date(START + days * 86_400_000);

const renewing = {
  id: 'm',
  personId: 'p',
  status: 'active' as 'active' | 'past_due' | 'canceling' | 'ended',
  amountMinor: 999,
  currency: 'USD',
  billingInterval: 'month' as const,
  pastDueAt: null as Date | null,
  graceEndsAt: null as Date | null,
  cancelAt: null as Date | null,
  endedAt: null as Date | null,
  changeNumber: 0,
  isClosing: false,
  failureNotifiedAt: null,
  remindedOf: null,
  endsAt: null as Date | null,
  withdrawnAt: null as Date | null,
};

type Row = typeof renewing;

/** Paid for from day 0 to day 30; what the processor has ended stays so. */
function decide(changes: Partial<Row>, { money, at }: { money: CurrentMoney; at: Date }) {
  const before = { ...renewing, ...changes };
  const isEnded = before.status === 'ended';
  const reading = {
    processorId: 'sub',
    status: isEnded ? ('ended' as const) : ('active' as const),
    periodEnd: day(30),
    isCancelAtPeriodEnd: before.status === 'canceling',
    endedAt: isEnded ? day(10) : null,
    charges: [],
  };
  const paid = { periodStart: day(0), periodEnd: day(30) };
  const booked = { paid, isNotAsAgreed: false, membership: before };
  const { state, ...moved } = decideMembershipMove({ before, booked, reading, money, at });
  return { status: state.status, endedAt: state.endedAt, ...moved };
}

const withdrawn = {
  status: 'ended',
  endedAt: day(10),
  endsAt: day(30),
  withdrawnAt: day(10),
} as const;
const served = { ...withdrawn, withdrawnAt: null } as const;
const silent = { reason: null } as const;
const refunded = { ...withdrawn, reason: 'refunded' } as const;

type Case = [string, Partial<Row>, { money: CurrentMoney; at: Date }, object];

const CASES: Case[] = [
  ['all of it back ends it', {}, { money: 'gone', at: day(10) }, refunded],
  ['a part of it does not', {}, { money: 'kept', at: day(10) }, { status: 'active', endsAt: null }],
  [
    'cancelled, it holds no longer than it was to',
    { status: 'canceling', cancelAt: day(29), endsAt: day(29) },
    { money: 'gone', at: day(10) },
    { ...refunded, endsAt: day(29) },
  ],
  [
    'back in grace, what was paid for is over',
    { status: 'past_due', pastDueAt: day(30), graceEndsAt: day(38), endsAt: day(38) },
    { money: 'gone', at: day(33) },
    { ...refunded, endedAt: day(33), endsAt: day(33), withdrawnAt: day(33) },
  ],
  [
    'told twice, it is over as before',
    withdrawn,
    { money: 'gone', at: day(12) },
    { ...withdrawn, ...silent },
  ],
  [
    'nothing said of it, it stays back',
    withdrawn,
    { money: null, at: day(12) },
    { ...withdrawn, ...silent },
  ],
  [
    'here again, it is served',
    withdrawn,
    { money: 'kept', at: day(12) },
    { ...served, reason: 'granted' },
  ],
  ['here again too late', withdrawn, { money: 'kept', at: day(30) }, { ...withdrawn, ...silent }],
  [
    'served, nothing more is told',
    served,
    { money: 'kept', at: day(13) },
    { ...served, ...silent },
  ],
  [
    'back once more',
    served,
    { money: 'gone', at: day(14) },
    { ...refunded, endedAt: day(14), withdrawnAt: day(14) },
  ],
  [
    'served to its end',
    served,
    { money: null, at: day(30) },
    { ...served, endedAt: day(30), reason: 'elapsed' },
  ],
  [
    'that end is told once',
    { ...served, endedAt: day(30) },
    { money: null, at: day(31) },
    { ...served, endedAt: day(30), ...silent },
  ],
  [
    'over before, its money takes nothing',
    { ...served, endsAt: day(10) },
    { money: 'gone', at: day(12) },
    { ...served, endsAt: day(10), ...silent },
  ],
  [
    'and brings nothing',
    { ...served, endsAt: day(10) },
    { money: 'kept', at: day(12) },
    { ...served, endsAt: day(10), ...silent },
  ],
];

for (const [title, row, facts, expected] of CASES) {
  test(`money of the current period: ${title}`, (t) => t.like(decide(row, facts), expected));
}

test('only what has ended and is not withdrawn has a rest', (t) => {
  t.is(restOf(renewing), null);
  t.is(restOf(withdrawn), null);
  t.is(restOf({ ...served, endedAt: day(30) }), null);
  t.deepEqual(restOf(served), day(30));
});
