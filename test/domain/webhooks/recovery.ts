import test from 'ava';
import {
  MOST_RECOVERED,
  validatePeriod,
  type PeriodProblem,
} from '../../../domain/webhooks/recoveries/recovery.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const now = new Date('2026-06-01T12:00:00.000Z');
const ago = (milliseconds: number) => new Date(now.getTime() - milliseconds);

const ROWS: [string, Date | null, Date | null, PeriodProblem | null][] = [
  ['without a beginning', null, null, 'required'],
  ['without an end', ago(DAY_MS), null, null],
  ['of an hour', ago(DAY_MS), ago(DAY_MS - HOUR_MS), null],
  ['of two weeks, picked a while ago', ago(14 * DAY_MS + HOUR_MS), null, null],
  ['of more than two weeks', ago(14 * DAY_MS + HOUR_MS + 1), null, 'too_long_ago'],
  ['that begins now', now, null, 'not_yet'],
  ['that begins tomorrow', ago(-DAY_MS), null, 'not_yet'],
  ['that begins a moment ago', ago(1), null, null],
  ['that ends as it begins', ago(DAY_MS), ago(DAY_MS), 'ends_before_it_starts'],
  ['that ends before it begins', ago(DAY_MS), ago(DAY_MS + 1), 'ends_before_it_starts'],
  ['that ends a moment after it begins', ago(DAY_MS), ago(DAY_MS - 1), null],
];

for (const [title, since, until, problem] of ROWS) {
  test(`a period ${title} ${problem === null ? 'may be recovered' : `is refused: ${problem}`}`, (t) => {
    t.is(validatePeriod({ since, until, now }), problem);
  });
}

test('a recovery queues 10,000 deliveries at most', (t) => {
  t.is(MOST_RECOVERED, 10_000);
});
