import test from 'ava';
import fc from 'fast-check';
import {
  countDays,
  countingOf,
  daysIn,
  daysTouched,
  type Interval,
} from '../../../domain/pool/split/counting-days.ts';

const MONTH = '2026-02';
const at = (text: string) => new Date(`${text}Z`);
const ALWAYS: Interval = { from: at('2020-01-01T00:00'), until: null };
const maskOf = (...days: number[]) => days.reduce((mask, day) => mask | (1 << (day - 1)), 0);
const daysOf = (mask: number) =>
  Array.from({ length: 31 }, (_, index) => index + 1).filter((day) => mask & maskOf(day));

test('months have their days', (t) => {
  t.deepEqual(['2026-02', '2028-02', '2026-04', '2026-12'].map(daysIn), [28, 29, 30, 31]);
});

const TOUCHED: [title: string, interval: Interval, days: number[]][] = [
  [
    'one instant is its day',
    { from: at('2026-02-03T12:00'), until: at('2026-02-03T12:00:00.001') },
    [3],
  ],
  [
    'the end does not belong to it',
    { from: at('2026-02-03T23:59'), until: at('2026-02-05T00:00') },
    [3, 4],
  ],
  ['an empty one is no day', { from: at('2026-02-03T12:00'), until: at('2026-02-03T12:00') }, []],
  ['from the month before', { from: at('2026-01-20T00:00'), until: at('2026-02-01T00:01') }, [1]],
  ['still running', { from: at('2026-02-27T08:00'), until: null }, [27, 28]],
  ['before the month', { from: at('2026-01-01T00:00'), until: at('2026-02-01T00:00') }, []],
  ['after the month', { from: at('2026-03-01T00:00'), until: null }, []],
];

for (const [title, interval, days] of TOUCHED) {
  test(`days of an interval: ${title}`, (t) => {
    t.deepEqual(daysOf(daysTouched(MONTH, [interval])), days);
  });
}

const QUALIFIED = maskOf(1, 2, 3, 10, 28);
const COUNTING: [
  title: string,
  facts: Partial<Record<'included' | 'complimentary' | 'ownTeam', Interval[]>>,
  days: number[],
][] = [
  ['all where the product was Included all along', {}, [1, 2, 3, 10, 28]],
  ['none where it never was', { included: [] }, []],
  [
    'those on which it was Included, taken out and included again',
    {
      included: [
        { from: at('2026-01-01T00:00'), until: at('2026-02-02T09:00') },
        { from: at('2026-02-10T18:00'), until: null },
      ],
    },
    [1, 2, 10, 28],
  ],
  [
    'none on which the person held a grant at some time of the day',
    { complimentary: [{ from: at('2026-02-02T23:00'), until: at('2026-02-10T01:00') }] },
    [1, 28],
  ],
  [
    "none on which the person belonged to the product's team",
    { ownTeam: [{ from: at('2026-02-10T00:00'), until: null }] },
    [1, 2, 3],
  ],
];

for (const [title, facts, days] of COUNTING) {
  test(`counting days: ${title}`, (t) => {
    const { included = [ALWAYS], complimentary = [], ownTeam = [] } = facts;
    const mask = countingOf({
      qualified: QUALIFIED,
      included: daysTouched(MONTH, included),
      excluded: daysTouched(MONTH, complimentary) | daysTouched(MONTH, ownTeam),
    });
    t.deepEqual(daysOf(mask), days);
    t.is(countDays(mask), days.length);
  });
}

test('an interval touches as many days as its instants', (t) => {
  const instants = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2026, 3, 1) });
  fc.assert(
    fc.property(instants, fc.integer({ min: 1, max: 40 * 24 }), (from, hours) => {
      const until = from + hours * 3_600_000;
      const expected = new Set<number>();
      for (let instant = from; instant < until; instant += 3_600_000) expected.add(dayOf(instant));
      expected.add(dayOf(until - 1)).delete(0);
      const touched = daysTouched(MONTH, [{ from: new Date(from), until: new Date(until) }]);
      t.deepEqual(
        daysOf(touched),
        [...expected].toSorted((one, other) => one - other),
      );
    }),
  );
});

/** 0 outside of the month. */
function dayOf(instant: number): number {
  const date = new Date(instant);
  return date.toISOString().startsWith(MONTH) ? date.getUTCDate() : 0;
}
