import test from 'ava';
import {
  advanceRound,
  START,
  type ClaimedPage,
} from '../../../domain/webhooks/deliveries/claim-round.ts';

const ROWS: [
  what: string,
  hasLeftSome: boolean,
  page: Omit<ClaimedPage, 'pageSize'>,
  next: [afterEndpointId: string, hasLeftSome: boolean],
  isMore: boolean,
][] = [
  [
    'no endpoint has a first attempt',
    false,
    { visited: [], isFull: false, hasLostSome: false },
    [START, false],
    false,
  ],
  [
    'the last page is claimed whole',
    false,
    { visited: ['a'], isFull: false, hasLostSome: false },
    [START, false],
    false,
  ],
  [
    'further endpoints follow',
    false,
    { visited: ['a', 'b'], isFull: false, hasLostSome: false },
    ['b', false],
    true,
  ],
  [
    'further endpoints follow, and this page has more',
    false,
    { visited: ['a', 'b'], isFull: true, hasLostSome: false },
    ['b', true],
    true,
  ],
  [
    'an earlier page has more',
    true,
    { visited: ['a', 'b'], isFull: false, hasLostSome: false },
    ['b', true],
    true,
  ],
  [
    'the last page has more',
    false,
    { visited: ['a'], isFull: true, hasLostSome: false },
    [START, true],
    true,
  ],
  [
    'the last page is claimed whole, an earlier one was not',
    true,
    { visited: ['a'], isFull: false, hasLostSome: false },
    [START, false],
    true,
  ],
  [
    'another dispatcher was faster',
    false,
    { visited: ['a'], isFull: false, hasLostSome: true },
    [START, false],
    true,
  ],
];

for (const [what, hasLeftSome, page, [afterEndpointId, leavesSome], isMore] of ROWS) {
  test(`the round of a dispatcher: ${what}`, (t) => {
    const progress = { afterEndpointId: START, hasLeftSome };
    t.deepEqual(advanceRound(progress, { pageSize: 2, ...page }), {
      next: { afterEndpointId, hasLeftSome: leavesSome },
      isMore,
    });
  });
}
