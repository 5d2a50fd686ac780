import test from 'ava';
import fc from 'fast-check';
import { createBands, SMALLEST_BAND } from '../../../domain/pool/statement/bands.ts';

type Line = { days: number; daysInAll: number; potMinor: number; amountMinor: number };

const line = (days: number, given: Partial<Line> = {}): Line => ({
  days,
  daysInAll: days + 2,
  potMinor: 699,
  amountMinor: 100,
  ...given,
});
const bandsOf = (lines: readonly Line[]) => {
  const bands = createBands();
  for (const each of lines) bands.add(each);
  return bands.finish();
};
const times = (count: number, days: number) => Array.from({ length: count }, () => line(days));

const SHAPES: [
  title: string,
  lines: Line[],
  bands: [from: number, to: number, members: number][],
][] = [
  ['nobody', [], []],
  ['nine Members', times(9, 5), []],
  ['ten Members with the same days', times(10, 5), [[1, 31, 10]]],
  [
    'ten with few days and ten with many',
    [...times(10, 1), ...times(10, 31)],
    [
      [1, 1, 10],
      [2, 31, 10],
    ],
  ],
  ['few at the end join the band before', [...times(12, 2), ...times(3, 31)], [[1, 31, 15]]],
  ['few at the beginning join the band behind', [...times(3, 1), ...times(12, 9)], [[1, 31, 15]]],
  [
    'one band for each group of ten',
    [1, 3, 7, 14, 21, 31].flatMap((days) => times(10, days)),
    [
      [1, 1, 10],
      [2, 3, 10],
      [4, 7, 10],
      [8, 14, 10],
      [15, 21, 10],
      [22, 31, 10],
    ],
  ],
];

for (const [title, lines, expected] of SHAPES) {
  test(`bands: ${title}`, (t) => {
    t.deepEqual(
      bandsOf(lines).map(({ daysFrom, daysTo, members }) => [daysFrom, daysTo, members]),
      expected,
    );
  });
}

test('a band has the sums of its Members, and nothing of one of them', (t) => {
  const lines = Array.from({ length: 10 }, (_, index) =>
    line(3, { potMinor: 600 + index, daysInAll: 3 + index, amountMinor: index }),
  );
  t.deepEqual(bandsOf(lines), [
    {
      daysFrom: 1,
      daysTo: 31,
      members: 10,
      potsMinor: 6_045n,
      daysHere: 30,
      daysInAll: 75,
      amountMinor: 45n,
    },
  ]);
});

test('property: bands have ten Members or more, meet each other and lose nobody', (t) => {
  const lines = fc.array(
    fc.integer({ min: 1, max: 31 }).map((days) => line(days)),
    { maxLength: 200 },
  );
  fc.assert(
    fc.property(lines, (made) => {
      const bands = bandsOf(made);
      t.is(bands.length === 0, made.length < SMALLEST_BAND);
      for (const [index, { daysFrom, daysTo, members }] of bands.entries()) {
        t.true(members >= SMALLEST_BAND);
        t.is(daysFrom, (bands[index - 1]?.daysTo ?? 0) + 1);
        t.is(members, made.filter(({ days }) => days >= daysFrom && days <= daysTo).length);
      }
      if (bands.length > 0) t.is(bands.at(-1)!.daysTo, 31);
    }),
  );
});
