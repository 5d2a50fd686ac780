import test from 'ava';
import {
  CRITERIA,
  isPassed,
  judgeSeal,
  type Criterion,
  type CriterionName,
  type SealFigures,
} from '../../../domain/seal/criteria.ts';

/** Each criterion is met, by just as much as it takes where it can be. */
const ENOUGH: SealFigures = {
  people: 25,
  returningPeople: 15,
  days: 100,
  daysOfLargest: 10,
  daysOfFive: 30,
  charges: 100,
  refundedCharges: 9,
  lostChargebacks: 1,
  listedDays: 60,
  firstAttempts: 100,
  firstSuccesses: 99,
  callbacks: 200,
  tokens: 198,
};

type Row = [
  title: string,
  name: CriterionName,
  figures: Partial<SealFigures>,
  expected: Omit<Criterion, 'name'>,
];

const passed = (count: number, of: number | null) =>
  ({ result: 'passed', count, of, missing: 0 }) as const;
const failed = (count: number, of: number | null, missing: number | null) =>
  ({ result: 'failed', count, of, missing }) as const;
const unjudged = (count: number, of: number) =>
  ({ result: 'not_judged', count, of, missing: null }) as const;

const rows: Row[] = [
  ['25 people are enough', 'people', {}, passed(25, null)],
  ['24 people are not', 'people', { people: 24 }, failed(24, null, 1)],
  ['nobody is not', 'people', { people: 0 }, failed(0, null, 25)],
  ['15 of 25 came back', 'returning_people', {}, passed(15, 25)],
  ['14 of 25 did not', 'returning_people', { returningPeople: 14 }, failed(14, 25, 1)],
  [
    '50 of 100 came back',
    'returning_people',
    { people: 100, returningPeople: 50 },
    passed(50, 100),
  ],
  ['49 of 100', 'returning_people', { people: 100, returningPeople: 49 }, failed(49, 100, 1)],
  ['180 of 400', 'returning_people', { people: 400, returningPeople: 180 }, passed(180, 400)],
  ['179 of 400', 'returning_people', { people: 400, returningPeople: 179 }, failed(179, 400, 1)],
  [
    'so few cannot show it',
    'returning_people',
    { people: 2, returningPeople: 2 },
    failed(2, 2, null),
  ],
  ['nobody came back', 'returning_people', { people: 0, returningPeople: 0 }, failed(0, 0, null)],
  [
    'without a sale nothing was refunded',
    'refunds',
    { charges: 0, refundedCharges: 0 },
    passed(0, 0),
  ],
  ['9 refunds of 100 may be chance', 'refunds', {}, passed(9, 100)],
  ['10 refunds of 100 are more', 'refunds', { refundedCharges: 10 }, failed(10, 100, 1)],
  ['1 refund of 10', 'refunds', { charges: 10, refundedCharges: 1 }, passed(1, 10)],
  ['everything was refunded', 'refunds', { charges: 10, refundedCharges: 10 }, failed(10, 10, 9)],
  ['one is free', 'chargebacks', { charges: 0, refundedCharges: 0 }, passed(1, 0)],
  ['two of 100 are not', 'chargebacks', { lostChargebacks: 2 }, failed(2, 100, 1)],
  ['7 of 1,000', 'chargebacks', { charges: 1_000, lostChargebacks: 7 }, passed(7, 1_000)],
  ['8 of 1,000', 'chargebacks', { charges: 1_000, lostChargebacks: 8 }, failed(8, 1_000, 1)],
  ['7 of 999', 'chargebacks', { charges: 999, lostChargebacks: 7 }, failed(7, 999, 1)],
  ['one person has 10 % of days', 'largest_person', {}, passed(10, 100)],
  ['one has more', 'largest_person', { daysOfLargest: 11 }, failed(11, 100, 10)],
  ['without days nobody has many', 'largest_person', { days: 0, daysOfLargest: 0 }, unjudged(0, 0)],
  ['five people have 30 % of days', 'five_people', {}, passed(30, 100)],
  ['five have more', 'five_people', { daysOfFive: 31 }, failed(31, 100, 4)],
  ['without days five have none', 'five_people', { days: 0, daysOfFive: 0 }, unjudged(0, 0)],
  ['listed for 60 days', 'listed_days', {}, passed(60, null)],
  ['listed for 59 days', 'listed_days', { listedDays: 59 }, failed(59, null, 1)],
  ['99 of 100 webhooks', 'webhooks', {}, passed(99, 100)],
  ['98 of 100 webhooks', 'webhooks', { firstSuccesses: 98 }, failed(98, 100, 1)],
  ['99 of 101 webhooks', 'webhooks', { firstAttempts: 101 }, failed(99, 101, 1)],
  [
    '99 webhooks are not judged',
    'webhooks',
    { firstAttempts: 99, firstSuccesses: 0 },
    unjudged(0, 99),
  ],
  ['198 of 200 sign-ins', 'sign_ins', {}, passed(198, 200)],
  ['197 of 200 sign-ins', 'sign_ins', { tokens: 197 }, failed(197, 200, 1)],
  ['99 sign-ins are not judged', 'sign_ins', { callbacks: 99, tokens: 0 }, unjudged(0, 99)],
  [
    'a code of the day before makes no more tokens than callbacks',
    'sign_ins',
    { callbacks: 100, tokens: 101 },
    passed(100, 100),
  ],
];

for (const [title, name, figures, expected] of rows) {
  test(`${name}: ${title}`, (t) => {
    const criteria = judgeSeal({ ...ENOUGH, ...figures });
    t.deepEqual(
      criteria.find((each) => each.name === name),
      { name, ...expected },
    );
    t.is(isPassed(criteria), expected.result !== 'failed');
  });
}

test('each criterion has a row that passes and one that fails, but for nothing else', (t) => {
  for (const name of CRITERIA) {
    const results = rows.filter(([, of]) => of === name).map(([, , , { result }]) => result);
    t.true(results.includes('passed') && results.includes('failed'), name);
  }
  t.deepEqual(
    judgeSeal(ENOUGH).map(({ name }) => name),
    [...CRITERIA],
  );
});

test('too few webhooks and sign-ins keep no seal away', (t) => {
  const quiet = { firstAttempts: 0, firstSuccesses: 0, callbacks: 0, tokens: 0 };
  t.true(isPassed(judgeSeal({ ...ENOUGH, ...quiet })));
});

test('a new product misses people, a return of them, and time', (t) => {
  const none = Object.fromEntries(Object.keys(ENOUGH).map((name) => [name, 0])) as SealFigures;
  const criteria = judgeSeal(none);
  t.deepEqual(
    criteria.filter(({ result }) => result === 'failed').map(({ name }) => name),
    ['people', 'returning_people', 'listed_days'],
  );
});
