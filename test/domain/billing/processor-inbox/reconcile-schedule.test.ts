import test from 'ava';
import {
  decidePurchaseAskAgainMs,
  decideStuck,
  type StuckKind,
  type WaitingPurchase,
} from '../../../../domain/billing/processor-inbox/reconcile-schedule.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const ASKED: [string, Partial<WaitingPurchase>, number | null][] = [
  ['pending, just made', { status: 'pending', ageMs: 0 }, 10 * MINUTE],
  ['pending for an hour', { status: 'pending', ageMs: HOUR }, HOUR],
  ['pending, with a moment of its session left', { ageMs: 0, remainingMs: 1 }, 10 * MINUTE],
  ['pending for two hours', { status: 'pending', ageMs: 2 * HOUR }, 2 * HOUR],
  ['pending after its session', { status: 'pending', ageMs: 900 * DAY, remainingMs: 0 }, HOUR],
  ['clearing, however long', { status: 'clearing', ageMs: 900 * DAY }, 12 * HOUR],
  ['canceled a moment ago', { status: 'canceled', ageMs: HOUR }, DAY],
  ['canceled, four days old', { status: 'canceled', ageMs: 4 * DAY }, 4 * DAY],
  ['failed, four days old', { status: 'failed', ageMs: 4 * DAY }, 4 * DAY],
  ['failed, nearly 32 days old', { status: 'failed', ageMs: 32 * DAY - 1 }, 32 * DAY - 1],
  ['failed, 32 days old', { status: 'failed', ageMs: 32 * DAY }, null],
  ['failed, two months old', { status: 'failed', ageMs: 60 * DAY }, null],
  ['canceled, never at the processor', { status: 'canceled', hasSession: false }, null],
  ['cleared', { status: 'cleared' }, null],
  ['cleared and disputed', { status: 'cleared', hasOpenDispute: true }, DAY],
  ['cleared, with a refund under way', { status: 'cleared', hasOpenRefund: true }, DAY],
  ['charged back', { status: 'charged_back' }, null],
  ['quarantined', { status: 'quarantined' }, null],
];

for (const [title, changes, expected] of ASKED) {
  test(`when the processor is asked again: ${title}`, (t) => {
    const waiting: WaitingPurchase = {
      status: 'pending',
      ageMs: HOUR,
      remainingMs: 20 * HOUR,
      hasSession: true,
      hasOpenRefund: false,
      hasOpenDispute: false,
      ...changes,
    };
    t.is(decidePurchaseAskAgainMs(waiting), expected);
  });
}

const waitingFor = (status: WaitingPurchase['status'], ageMs: number) => ({
  status,
  ageMs,
  hasOldEvent: false,
});

const STUCK: [string, Parameters<typeof decideStuck>[0], StuckKind | null][] = [
  ['13 days', { status: 'clearing', ageMs: 13 * DAY, hasOldEvent: false }, null],
  ['two weeks', { status: 'clearing', ageMs: 14 * DAY, hasOldEvent: false }, 'clearing_stuck'],
  ['three days', { status: 'pending', ageMs: 3 * DAY, hasOldEvent: false }, null],
  ['four days', { status: 'pending', ageMs: 4 * DAY, hasOldEvent: false }, 'purchase_unresolved'],
  ['two weeks less a moment', waitingFor('clearing', 14 * DAY - 1), null],
  ['four days less a moment', waitingFor('pending', 4 * DAY - 1), null],
  ['long ago', waitingFor('cleared', 900 * DAY), null],
  ['long ago, and abandoned', waitingFor('canceled', 900 * DAY), null],
  ['an old event', { status: 'cleared', ageMs: DAY, hasOldEvent: true }, 'purchase_unresolved'],
];

for (const [title, waiting, expected] of STUCK) {
  test(`when operators are told of what is ${waiting.status}: ${title}`, (t) => {
    t.is(decideStuck(waiting), expected);
  });
}
