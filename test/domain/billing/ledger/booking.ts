import test from 'ava';
import fc from 'fast-check';
import {
  ACCOUNTS,
  bookClearing,
  bookDisputeFee,
  bookPoolPayout,
  bookPoolShare,
  bookReturn,
  bookUnattributed,
  ENTRY_KINDS,
  type Entry,
  type BookedReturn,
} from '../../../../domain/billing/ledger/booking.ts';

const NOTHING: BookedReturn = { returnedMinor: 0, lostMinor: 0, cutReturnedMinor: 0 };
const sumOf = (entries: Entry[]) => entries.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
const inWords = (entries: Entry[]) =>
  entries.map(({ account, kind, amountMinor }) => `${account} ${kind} ${amountMinor}`);

test('a payment that clears books its gross and the cut of the platform', (t) => {
  t.deepEqual(inWords(bookClearing({ grossMinor: 1_999, cutMinor: 199 })), [
    'buyer gross -1999',
    'seller gross 1999',
    'seller cut -199',
    'platform cut 199',
  ]);
  t.deepEqual(inWords(bookClearing({ grossMinor: 5, cutMinor: 0 })), [
    'buyer gross -5',
    'seller gross 5',
  ]);
});

test("the money of Member is the platform's, on its way there and back", (t) => {
  const member = { grossMinor: 999, cutMinor: 0, membershipId: 'mem_1' };
  t.deepEqual(inWords(bookClearing(member)), ['buyer gross -999', 'platform gross 999']);
  const given = { returned: NOTHING, kind: 'refund', changeMinor: 999 } as const;
  t.deepEqual(inWords(bookReturn(member, given).entries), [
    'platform refund -999',
    'buyer refund 999',
  ]);
  t.deepEqual(inWords(bookClearing({ ...member, membershipId: null })), [
    'buyer gross -999',
    'seller gross 999',
  ]);
});

test('the seller bears the fee of a dispute, less what the processor gives back', (t) => {
  const book = (bookedMinor: number, feeMinor: number) =>
    inWords(bookDisputeFee({ bookedMinor, feeMinor }));
  t.deepEqual(book(0, 1_500), ['seller dispute_fee -1500', 'platform dispute_fee 1500']);
  t.deepEqual(book(1_500, 500), ['seller dispute_fee 1000', 'platform dispute_fee -1000']);
  t.deepEqual(book(1_500, 1_500), []);
});

test('the pool owes what its products get, and keeps apart what belongs to nobody', (t) => {
  t.deepEqual(inWords(bookPoolShare(518)), ['platform pool_share -518', 'pool pool_share 518']);
  t.deepEqual(inWords(bookPoolShare(-26)), ['platform pool_share 26', 'pool pool_share -26']);
  t.deepEqual(inWords(bookUnattributed(699)), [
    'platform pool_unattributed -699',
    'unattributed pool_unattributed 699',
  ]);
  t.deepEqual(inWords(bookPoolPayout(1_000)), [
    'pool pool_payout -1000',
    'seller pool_payout 1000',
  ]);
  t.deepEqual(bookPoolShare(0), []);
});

test('the ledger knows each account and each kind that is booked, and no other', (t) => {
  const payment = { grossMinor: 100, cutMinor: 10 };
  const returns = (['refund', 'reversal', 'chargeback'] as const).flatMap((kind) => {
    const given = { returned: NOTHING, kind, changeMinor: 101 };
    return bookReturn(payment, given).entries;
  });
  const fee = bookDisputeFee({ bookedMinor: 0, feeMinor: 1 });
  const pool = [...bookPoolShare(1), ...bookUnattributed(1), ...bookPoolPayout(1)];
  const booked = [...bookClearing(payment), ...returns, ...fee, ...pool];
  const seen = (of: keyof Entry) => [...new Set(booked.map((entry) => entry[of]))].toSorted();
  t.deepEqual(seen('account'), [...ACCOUNTS].toSorted());
  t.deepEqual(seen('kind'), [...ENTRY_KINDS].toSorted());
});

// Of 1,999 with a cut of 199: what goes back or comes back in turn, and what each step books.
const STEPS: [change: number, entries: string[]][] = [
  [
    666,
    [
      'seller refund -666',
      'buyer refund 666',
      'platform cut_returned -66',
      'seller cut_returned 66',
    ],
  ],
  [1, ['seller refund -1', 'buyer refund 1']],
  [
    1_332,
    [
      'seller refund -1332',
      'buyer refund 1332',
      'platform cut_returned -133',
      'seller cut_returned 133',
    ],
  ],
  [10, ['platform loss -10', 'buyer loss 10']],
  [
    -1_332,
    [
      'seller reversal 1322',
      'buyer reversal -1322',
      'platform cut_returned 132',
      'seller cut_returned -132',
      'platform loss 10',
      'buyer loss -10',
    ],
  ],
];

test('each refund or reversal books the difference to what stands in the ledger', (t) => {
  let returned = NOTHING;
  for (const [change, entries] of STEPS) {
    const kind = change > 0 ? 'refund' : 'reversal';
    const given = { returned, kind, changeMinor: change } as const;
    const booked = bookReturn({ grossMinor: 1_999, cutMinor: 199 }, given);
    t.deepEqual(inWords(booked.entries), entries, String(change));
    returned = booked.after;
  }
});

test('however refunds come and are reversed: sums are zero, the cut returned is floor(cut x refunded / gross), an excess is a loss', (t) => {
  const amount = fc.integer({ min: 1, max: 99_999_999 });
  const story = fc.record({
    grossMinor: amount,
    basisPoints: fc.integer({ min: 0, max: 10_000 }),
    refunds: fc.array(fc.tuple(amount, fc.boolean()), { maxLength: 12 }),
  });
  fc.assert(
    fc.property(story, ({ grossMinor, basisPoints, refunds }) => {
      const cutMinor = Math.floor((grossMinor * basisPoints) / 10_000);
      const payment = { grossMinor, cutMinor };
      const all = bookClearing(payment);
      let returned = NOTHING;
      let total = 0;
      const take = (change: number) => {
        const kind = change > 0 ? 'refund' : 'reversal';
        const booked = bookReturn(payment, { returned, kind, changeMinor: change });
        if (sumOf(booked.entries) !== 0 || booked.entries.length === 0)
          throw new Error('unbalanced');
        all.push(...booked.entries);
        returned = booked.after;
        total += change;
      };
      for (const [refunded, isReversed] of refunds) {
        take(refunded);
        if (isReversed) take(-refunded);
      }
      const of = (account: string, ...kinds: string[]) =>
        sumOf(all.filter((entry) => entry.account === account && kinds.includes(entry.kind)));
      const returnedMinor = Math.min(total, grossMinor);
      t.is(0 - of('seller', 'refund', 'reversal'), returnedMinor);
      t.is(
        BigInt(of('seller', 'cut_returned')),
        (BigInt(cutMinor) * BigInt(returnedMinor)) / BigInt(grossMinor),
      );
      t.is(0 - of('platform', 'loss'), Math.max(0, total - grossMinor));
      t.is(sumOf(all), 0);
    }),
    { numRuns: 300 },
  );
});
