import test from 'ava';
import {
  dayAfter,
  daysOf,
  firstDayOf,
  lastDayOf,
  maskThrough,
  placeOf,
  weeksOf,
} from '../../../../domain/usage/history/calendar.ts';

test('a month has its days, in a leap year too', (t) => {
  for (const [month, last] of [
    ['2026-02', '2026-02-28'],
    ['2028-02', '2028-02-29'],
    ['2026-12', '2026-12-31'],
  ] as const) {
    t.is(lastDayOf(month), last);
    t.is(daysOf(month).at(0), firstDayOf(month));
    t.is(daysOf(month).at(-1), last);
  }
  t.is(dayAfter('2026-12-31'), '2027-01-01');
});

test('the mask through a day has its days and no later one', (t) => {
  for (const [day, mask] of [
    ['2026-11-01', 0b1],
    ['2026-11-03', 0b111],
    ['2026-12-31', 0x7f_ff_ff_ff],
  ] as const) {
    t.is(maskThrough(day), mask);
    t.is(mask >> placeOf(day), 1);
  }
});

test('the ISO weeks of a month begin on Mondays and share no day', (t) => {
  // November 2026 begins on a Sunday, February 2027 on a Monday.
  t.deepEqual(weeksOf('2026-11').map(toDays), [
    [1],
    [2, 3, 4, 5, 6, 7, 8],
    [9, 10, 11, 12, 13, 14, 15],
    [16, 17, 18, 19, 20, 21, 22],
    [23, 24, 25, 26, 27, 28, 29],
    [30],
  ]);
  t.is(weeksOf('2027-02').length, 4);
  for (const month of ['2026-11', '2026-12', '2028-02']) {
    t.is(
      weeksOf(month).reduce((all, week) => all + week, 0),
      maskThrough(lastDayOf(month)),
    );
  }
});

function toDays(mask: number): number[] {
  return Array.from({ length: 31 }, (_, place) => place)
    .filter((place) => ((mask >> place) & 1) === 1)
    .map((place) => place + 1);
}
