import test from 'ava';
import {
  decideAskAgainMs,
  decideStuck,
  type Stuck,
  type Waiting,
} from '../../../../domain/billing/processor-inbox/reconcile-schedule.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const ASKED: [string, Partial<Waiting>, number | null][] = [
  ['pending, just made', { status: 'pending', ageMs: 0 }, 10 * MINUTE],
  ['pending for an hour', { status: 'pending', ageMs: HOUR }, HOUR],
  ['pending after its session', { status: 'pending', ageMs: 900 * DAY, remainingMs: 0 }, HOUR],
  ['clearing, however long', { status: 'clearing', ageMs: 900 * DAY }, 12 * HOUR],
  ['canceled a moment ago', { status: 'canceled', ageMs: HOUR }, DAY],
  ['canceled, four days old', { status: 'canceled', ageMs: 4 * DAY }, 4 * DAY],
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
    const waiting: Waiting = {
      status: 'pending',
      ageMs: HOUR,
      remainingMs: 20 * HOUR,
      hasSession: true,
      hasOpenRefund: false,
      hasOpenDispute: false,
      ...changes,
    };
    t.is(decideAskAgainMs(waiting), expected);
  });
}

const STUCK: [string, Parameters<typeof decideStuck>[0], Stuck | null][] = [
  ['13 days', { status: 'clearing', ageMs: 13 * DAY, hasOldEvent: false }, null],
  ['two weeks', { status: 'clearing', ageMs: 14 * DAY, hasOldEvent: false }, 'clearing_stuck'],
  ['three days', { status: 'pending', ageMs: 3 * DAY, hasOldEvent: false }, null],
  ['four days', { status: 'pending', ageMs: 4 * DAY, hasOldEvent: false }, 'purchase_unresolved'],
  ['an old event', { status: 'cleared', ageMs: DAY, hasOldEvent: true }, 'purchase_unresolved'],
];

for (const [title, waiting, expected] of STUCK) {
  test(`when operators are told of what is ${waiting.status}: ${title}`, (t) => {
    t.is(decideStuck(waiting), expected);
  });
}
