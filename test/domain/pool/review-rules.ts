import test from 'ava';
import {
  addMember,
  emptySums,
  regularTimeDays,
  REVIEW_THRESHOLDS,
  sharedAddressDays,
  singleProductDays,
  toFigure,
  toFigures,
  youngAccountDays,
  type MemberEvidence,
} from '../../../domain/pool/review/review-rules.ts';

const at = (text: string) => new Date(`${text}Z`);
const maskOf = (...days: number[]) => days.reduce((mask, day) => mask | (1 << (day - 1)), 0);

/** Of somebody about whom no rule has anything to say. */
const evidence = (given: Partial<MemberEvidence> = {}): MemberEvidence => ({
  month: '2026-10',
  days: maskOf(1, 2, 3, 8, 9),
  productsUsed: 3,
  accountCreatedAt: at('2025-01-01T00:00'),
  accountsOnAddress: 2,
  times: [at('2026-10-01T08:00'), at('2026-10-09T21:30')],
  ...given,
});

const ROWS: [
  title: string,
  rule: (member: MemberEvidence) => number,
  given: Partial<MemberEvidence>,
  days: number,
][] = [
  ['a Member with several products', singleProductDays, {}, 0],
  ['a Member with one product only', singleProductDays, { productsUsed: 1 }, 5],
  ['an old account', youngAccountDays, {}, 0],
  [
    'an account of that month, on its first seven days',
    youngAccountDays,
    { accountCreatedAt: at('2026-10-01T10:00') },
    4,
  ],
  [
    'an account of the month before',
    youngAccountDays,
    { accountCreatedAt: at('2026-09-25T00:00') },
    1,
  ],
  ['an address of 20 accounts', sharedAddressDays, { accountsOnAddress: 20 }, 0],
  ['an address of 21 accounts', sharedAddressDays, { accountsOnAddress: 21 }, 5],
  ['times of a person', regularTimeDays, {}, 0],
  [
    'times within a minute',
    regularTimeDays,
    { times: [at('2026-10-01T08:00:00'), at('2026-10-09T08:01:00')] },
    5,
  ],
  [
    'times more than a minute apart',
    regularTimeDays,
    { times: [at('2026-10-01T08:00:00'), at('2026-10-09T08:01:01')] },
    0,
  ],
  [
    'times around midnight',
    regularTimeDays,
    { times: [at('2026-10-01T23:59:40'), at('2026-10-09T00:00:10')] },
    5,
  ],
  [
    'regular times of four days',
    regularTimeDays,
    { days: maskOf(1, 2, 3, 4), times: [at('2026-10-01T08:00'), at('2026-10-04T08:00')] },
    0,
  ],
  ['one time tells nothing', regularTimeDays, { times: [at('2026-10-01T08:00')] }, 0],
];

for (const [title, rule, given, days] of ROWS) {
  test(`${rule.name} of ${title}: ${days}`, (t) => {
    t.is(rule(evidence(given)), days);
  });
}

test('each figure is a share of the days, beside its threshold', (t) => {
  const reviewProduct = (members: readonly MemberEvidence[]) => {
    const sums = emptySums();
    for (const member of members) addMember(sums, member);
    return toFigures(sums);
  };
  const honest = Array.from({ length: 30 }, () => evidence());
  t.deepEqual(
    reviewProduct(honest).map(({ figureBps, isOver }) => [figureBps, isOver]),
    [
      [0, false],
      [0, false],
      [0, false],
      [0, false],
    ],
  );
  const bots = Array.from({ length: 30 }, () =>
    evidence({
      productsUsed: 1,
      accountCreatedAt: at('2026-10-01T00:00'),
      accountsOnAddress: 30,
      times: [at('2026-10-01T08:00'), at('2026-10-09T08:00')],
    }),
  );
  t.deepEqual(reviewProduct([...honest, ...bots]), [
    { rule: 'single_product', figureBps: 5_000, thresholdBps: 8_000, isOver: false },
    { rule: 'young_accounts', figureBps: 3_000, thresholdBps: 2_500, isOver: true },
    { rule: 'shared_addresses', figureBps: 5_000, thresholdBps: 2_500, isOver: true },
    { rule: 'regular_times', figureBps: 5_000, thresholdBps: 5_000, isOver: false },
  ]);
});

test('a product is over from ten Members on, and only above the threshold', (t) => {
  const threshold = REVIEW_THRESHOLDS.single_product;
  const isOver = (matching: number, members: number) =>
    toFigure('single_product', { matching, days: 10_000, members }).isOver;
  t.false(isOver(threshold, 10));
  t.true(isOver(threshold + 1, 10));
  t.false(isOver(threshold + 1, 9));
  t.is(toFigure('single_product', { matching: 0, days: 0, members: 0 }).figureBps, 0);
});
