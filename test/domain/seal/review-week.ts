import test from 'ava';
import { nextReviewAfter, reviewedDays, weekOf } from '../../../domain/seal/review-week.ts';

const WEEKS = [
  ['2026-11-23T00:00:00Z', '2026-11-23'],
  ['2026-11-29T23:59:59.999Z', '2026-11-23'],
  ['2026-11-30T00:00:00Z', '2026-11-30'],
  ['2027-01-01T12:00:00Z', '2026-12-28'],
] as const;

for (const [instant, monday] of WEEKS) {
  test(`the week of ${instant} begins on ${monday}`, (t) => {
    t.is(weekOf(new Date(instant)), monday);
  });
}

test('a review looks at the 90 days before its Monday', (t) => {
  t.deepEqual(reviewedDays('2026-11-23'), { from: '2026-08-25', until: '2026-11-23' });
});

const NEXT = [
  ['2026-11-23T03:59:59Z', '2026-11-23T04:00:00.000Z'],
  ['2026-11-23T04:00:00Z', '2026-11-30T04:00:00.000Z'],
  ['2026-11-29T12:00:00Z', '2026-11-30T04:00:00.000Z'],
] as const;

for (const [instant, next] of NEXT) {
  test(`after ${instant} the next review is at ${next}`, (t) => {
    t.is(nextReviewAfter(new Date(instant)).toISOString(), next);
  });
}
