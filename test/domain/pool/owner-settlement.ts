import test from 'ava';
import fc from 'fast-check';
import {
  decideSettlement,
  type LineStatus,
  type OwnerLine,
} from '../../../domain/pool/payout-lines/owner-settlement.ts';

type Facts = Parameters<typeof decideSettlement>[0];

const paid = (amountMinor: bigint): OwnerLine => ({ amountMinor, isHeld: false });
const held = (amountMinor: bigint): OwnerLine => ({ amountMinor, isHeld: true });
const settle = (given: Partial<Facts>) =>
  decideSettlement({
    carriedMinor: 0n,
    lines: [],
    minimumMinor: 1_000n,
    canReceive: true,
    isConfirmed: true,
    ...given,
  });

const ROWS: [
  title: string,
  given: Partial<Facts>,
  result: [payout: bigint, carried: bigint, held: bigint],
  statuses: LineStatus[],
][] = [
  ['enough is paid', { lines: [paid(600n), paid(400n)] }, [1_000n, 0n, 0n], ['payable', 'payable']],
  [
    'below the minimum it is carried over',
    { lines: [paid(999n)] },
    [0n, 999n, 0n],
    ['below_minimum'],
  ],
  [
    'what was carried over is paid with it',
    { carriedMinor: 1n, lines: [paid(999n)] },
    [1_000n, 0n, 0n],
    ['payable'],
  ],
  [
    'a debt is worked off first',
    { carriedMinor: -1_500n, lines: [paid(2_000n)] },
    [0n, 500n, 0n],
    ['below_minimum'],
  ],
  [
    'a correction may leave a debt',
    { lines: [paid(300n), paid(-800n)] },
    [0n, -500n, 0n],
    ['below_minimum', 'below_minimum'],
  ],
  [
    'no account that can receive: carried over',
    { lines: [paid(5_000n)], canReceive: false },
    [0n, 5_000n, 0n],
    ['no_account'],
  ],
  [
    'the first payout waits for an operator',
    { lines: [paid(5_000n)], isConfirmed: false },
    [0n, 5_000n, 0n],
    ['held'],
  ],
  [
    'a product under review waits, the others do not',
    { lines: [paid(1_200n), held(3_000n)] },
    [1_200n, 0n, 3_000n],
    ['payable', 'held'],
  ],
  [
    'what a product under review owes counts at once',
    { lines: [paid(1_200n), held(-200n)] },
    [1_000n, 0n, 0n],
    ['payable', 'payable'],
  ],
  ['nothing at all is no payout, even without a minimum', { minimumMinor: 0n }, [0n, 0n, 0n], []],
];

for (const [title, given, [payoutMinor, carriedMinor, heldMinor], statuses] of ROWS) {
  test(`an owner's payout: ${title}`, (t) => {
    t.deepEqual(settle(given), { payoutMinor, carriedMinor, heldMinor, statuses });
  });
}

test('property: over many periods nothing is lost, and nothing below the minimum is paid', (t) => {
  const lines = fc.array(
    fc.record({ amountMinor: fc.bigInt({ min: -3_000n, max: 3_000n }), isHeld: fc.boolean() }),
  );
  const periods = fc.array(
    fc.record({ lines, canReceive: fc.boolean(), isConfirmed: fc.boolean() }),
  );
  fc.assert(
    fc.property(periods, (list) => {
      let [carriedMinor, earned, payouts] = [0n, 0n, 0n];
      let waiting: OwnerLine[] = [];
      for (const period of list) {
        const all = [...waiting.map(({ amountMinor }) => paid(amountMinor)), ...period.lines];
        earned += period.lines.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
        const settled = settle({ ...period, carriedMinor, lines: all });
        t.true(settled.payoutMinor === 0n || settled.payoutMinor >= 1_000n);
        ({ carriedMinor } = settled);
        payouts += settled.payoutMinor;
        waiting = all.filter(({ amountMinor, isHeld }) => isHeld && amountMinor > 0n);
        t.is(earned, payouts + carriedMinor + settled.heldMinor);
      }
    }),
  );
});
