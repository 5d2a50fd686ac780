import test from 'ava';
import {
  decideSubscriptionAskAgainMs,
  decideDue,
  failureDueAt,
  reminderDueAt,
  waitForDueMs,
  type DueFacts,
  type Due,
} from '../../../../domain/billing/recurring/next-check.ts';
import { at, day, MONTHLY } from '../../../support/purchases/subscription-facts.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const after = (milliseconds: number) => new Date(at.getTime() + milliseconds);

const yearly = { billingInterval: 'year' } as const;
const late = { status: 'past_due', pastDueAt: at, graceEndsAt: day(8) } as const;
const renewal: Due = { what: 'renewal', at: after(20 * DAY_MS + 2 * HOUR_MS) };

const DUE: [string, Partial<DueFacts>, Due | null][] = [
  ['a renewal two hours after the period', {}, renewal],
  ['a reminder a week before a yearly one', yearly, { what: 'reminder', at: day(13) }],
  ['that reminder once for a period', { ...yearly, remindedOf: day(20) }, renewal],
  ['one for each period', { ...yearly, remindedOf: day(-345) }, { what: 'reminder', at: day(13) }],
  ['nothing before the first period', { periodEnd: null }, null],
  ['the mail 25 hours after a failure', late, { what: 'failure mail', at: after(25 * HOUR_MS) }],
  [
    'after the mail the end of grace',
    { ...late, failureNotifiedAt: at },
    { what: 'grace', at: day(8) },
  ],
  [
    'the end of grace when it comes before the mail',
    { ...late, graceEndsAt: day(1) },
    { what: 'grace', at: day(1) },
  ],
  [
    'the end of grace when it comes with the mail',
    { ...late, graceEndsAt: after(25 * HOUR_MS) },
    { what: 'grace', at: after(25 * HOUR_MS) },
  ],
  ['no mail about no failure', { ...late, pastDueAt: null }, { what: 'grace', at: day(8) }],
  ['nothing without a grace', { ...late, graceEndsAt: null, pastDueAt: null }, null],
  ['a renewal, whatever grace there was', { graceEndsAt: day(8) }, renewal],
  [
    'the end, a minute late',
    { status: 'canceling', cancelAt: day(20) },
    { what: 'end', at: after(20 * DAY_MS + MINUTE_MS) },
  ],
  ['nothing without an end', { status: 'canceling' }, null],
  ['a renewal, whatever end there was', { cancelAt: day(5) }, renewal],
  ['nothing once it has ended', { status: 'ended' }, null],
  ['nothing before it begins', { status: 'incomplete' }, null],
];

for (const [title, given, expected] of DUE) {
  test(`what a subscription waits for: ${title}`, (t) => {
    t.deepEqual(decideDue({ ...MONTHLY, ...given }), expected);
  });
}

test('only an active yearly subscription is reminded of its renewal', (t) => {
  const reminded = (given: Partial<DueFacts>) => reminderDueAt({ ...MONTHLY, ...yearly, ...given });
  t.deepEqual(reminded({}), day(13));
  t.is(reminded({ billingInterval: 'month' }), null);
  t.is(reminded({ status: 'canceling' }), null);
  t.is(reminded({ periodEnd: null }), null);
  t.is(reminded({ remindedOf: day(20) }), null, 'once');
});

test('a failed renewal is told about once', (t) => {
  t.deepEqual(failureDueAt({ ...MONTHLY, ...late }), after(25 * HOUR_MS));
  t.is(failureDueAt({ ...MONTHLY, ...late, failureNotifiedAt: at }), null);
  t.is(failureDueAt(MONTHLY), null);
});

test('a workflow waits until the instant, and from then on asks every six hours', (t) => {
  const wait = (dueAt: Date) => waitForDueMs({ what: 'renewal', at: dueAt }, at);
  t.is(wait(day(3)), 3 * DAY_MS);
  t.is(wait(after(1)), 1);
  t.is(wait(at), 6 * HOUR_MS);
  t.is(wait(day(-3)), 6 * HOUR_MS);
  t.is(waitForDueMs(null, at), 6 * HOUR_MS);
});

const quiet = {
  due: null,
  status: 'ended',
  isClosing: false,
  endedAt: at,
  wasOver: false,
  isClearing: false,
} as const;

const ASKED: [
  string,
  Partial<Parameters<typeof decideSubscriptionAskAgainMs>[0]>,
  number | null,
][] = [
  [
    'one that waits',
    { status: 'active', due: renewal },
    20 * DAY_MS + 2 * HOUR_MS + 10 * MINUTE_MS,
  ],
  ['one that is overdue', { status: 'active' }, 6 * HOUR_MS + 10 * MINUTE_MS],
  [
    'one that is late, with money on its way',
    { status: 'past_due', isClearing: true },
    370 * MINUTE_MS,
  ],
  ['one that is closing', { status: 'active', due: renewal, isClosing: true }, 10 * MINUTE_MS],
  ['one that never began', { status: 'incomplete', endedAt: null }, null],
  ['one that never began, and ended', { status: 'incomplete' }, null],
  [
    'one that never began, with money on its way',
    { status: 'incomplete', isClearing: true },
    12 * HOUR_MS,
  ],
  ['one that ended with money on its way', { isClearing: true }, 12 * HOUR_MS],
  ['one whose end nobody knows', { endedAt: null }, null],
  ['one that has just ended', { endedAt: day(-40) }, 10 * DAY_MS],
  ['one whose end is told again', { wasOver: true, endedAt: day(-4) }, 6 * DAY_MS],
  ['one at the last moment', { wasOver: true, endedAt: after(1 - 10 * DAY_MS) }, 1],
  ['one that was looked at for the last time', { wasOver: true, endedAt: day(-10) }, null],
];

for (const [title, given, expected] of ASKED) {
  test(`when reconciliation asks about a subscription: ${title}`, (t) => {
    t.is(decideSubscriptionAskAgainMs({ ...quiet, ...given }, at), expected);
  });
}
