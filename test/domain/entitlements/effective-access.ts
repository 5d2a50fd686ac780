import test from 'ava';
import fc from 'fast-check';
import {
  ACCESS_TYPES,
  decideRecheckAt,
  decideEffectiveAccess,
  GRANT_TYPES,
  NO_ACCESS,
  type Source,
} from '../../../domain/entitlements/effective-access.ts';
import {
  withMembership,
  withPastMembership,
} from '../../../domain/entitlements/memberships/membership-access.ts';

const NOW = new Date('2026-06-01T12:00:00.000Z');
const hours = (count: number) => new Date(NOW.getTime() + count * 3_600_000);

function source(type: Source['type'], more: Partial<Source> = {}): Source {
  return {
    type,
    source: `${type}_1`,
    startsAt: hours(-10),
    endsAt: null,
    withdrawnAt: null,
    ...more,
  };
}

const cases: { title: string; sources: Source[]; shown: [boolean, string | null, Date | null] }[] =
  [
    { title: 'no source is no access', sources: [], shown: [false, null, null] },
    {
      title: 'a purchase does not expire on its own',
      sources: [source('purchase')],
      shown: [true, 'purchase', null],
    },
    {
      title:
        'of several active sources the shown type is purchase, subscription, complimentary in this order',
      sources: [source('complimentary'), source('subscription'), source('purchase')],
      shown: [true, 'purchase', null],
    },
    {
      title: 'the latest end counts',
      sources: [
        source('purchase', { endsAt: hours(1) }),
        source('complimentary', { endsAt: hours(5) }),
      ],
      shown: [true, 'purchase', hours(5)],
    },
    {
      title: 'no end wins over any end',
      sources: [source('purchase', { endsAt: hours(1) }), source('complimentary')],
      shown: [true, 'purchase', null],
    },
    {
      title: 'an ended source keeps its type, source and end',
      sources: [source('complimentary', { endsAt: hours(-1) })],
      shown: [false, 'complimentary', hours(-1)],
    },
    {
      title: 'of several ended sources the one that ended last is shown',
      sources: [
        source('complimentary', { endsAt: hours(-3) }),
        source('subscription', { endsAt: hours(-1) }),
      ],
      shown: [false, 'subscription', hours(-1)],
    },
    {
      title: 'a withdrawn source ends at the instant of withdrawal',
      sources: [source('purchase', { withdrawnAt: hours(-2) })],
      shown: [false, 'purchase', hours(-2)],
    },
    {
      title: 'a source that is withdrawn before its end is over at once',
      sources: [source('complimentary', { endsAt: hours(5), withdrawnAt: hours(-2) })],
      shown: [false, 'complimentary', hours(-2)],
    },
    {
      title: 'a withdrawal after the end does not move the end',
      sources: [source('complimentary', { endsAt: hours(-5), withdrawnAt: hours(-2) })],
      shown: [false, 'complimentary', hours(-5)],
    },
    {
      title: 'a source that has not started gives nothing',
      sources: [source('complimentary', { startsAt: hours(1) })],
      shown: [false, null, null],
    },
    {
      title: 'a source starts with its first instant',
      sources: [source('complimentary', { startsAt: NOW })],
      shown: [true, 'complimentary', null],
    },
    {
      title: 'a source is over with the instant of its end',
      sources: [source('complimentary', { endsAt: NOW })],
      shown: [false, 'complimentary', NOW],
    },
  ];

for (const { title, sources, shown } of cases) {
  test(title, (t) => {
    const access = decideEffectiveAccess(sources, NOW);
    t.deepEqual([access.isActive, access.type, access.endsAt], shown);
    t.is(access.source, access.type && `${access.type}_1`);
  });
}

test('no access says nothing of a type, a source or an end', (t) => {
  const nothing = { isActive: false, type: null, source: null, endsAt: null };
  t.deepEqual(decideEffectiveAccess([], NOW), nothing);
});

test('access is bought, subscribed to, given, or comes with a membership', (t) => {
  t.deepEqual([...GRANT_TYPES], ['purchase', 'subscription', 'complimentary']);
  t.deepEqual([...ACCESS_TYPES], [...GRANT_TYPES, 'member']);
});

test('of two sources the order of types decides, whichever came first', (t) => {
  const [one, two, three] = GRANT_TYPES.map((type) => source(type, { endsAt: hours(1) }));
  for (const [first, second] of [
    [one!, two!],
    [two!, three!],
    [one!, three!],
  ] as const) {
    t.is(decideEffectiveAccess([first, second], NOW).type, first.type);
    t.is(decideEffectiveAccess([second, first], NOW).type, first.type);
  }
});

test('the later end counts, and the source that ended last, whichever came first', (t) => {
  const open = [source('complimentary'), source('purchase', { endsAt: hours(1) })];
  t.is(decideEffectiveAccess(open, NOW).endsAt, null);
  const sooner = [
    source('subscription', { endsAt: hours(5) }),
    source('purchase', { endsAt: hours(1) }),
  ];
  t.deepEqual(decideEffectiveAccess(sooner, NOW).endsAt, hours(5));
  const ended = [-1, -3, -2].map((end) => source('complimentary', { endsAt: hours(end) }));
  t.deepEqual(decideEffectiveAccess(ended, NOW).endsAt, hours(-1));
});

test('after a membership the source that ended last is remembered', (t) => {
  const member = { isActive: false, type: 'member', source: 'member', endsAt: NOW } as const;
  const endedAt = (end: number) =>
    decideEffectiveAccess([source('purchase', { endsAt: hours(end) })], NOW);
  const past = (end: number) => withPastMembership(endedAt(end), NOW);
  t.deepEqual(withPastMembership(NO_ACCESS, NOW), member);
  t.deepEqual(past(-1), member);
  t.deepEqual(past(0), member);
  t.deepEqual(withPastMembership(endedAt(-1), hours(-2)), endedAt(-1));
  t.deepEqual(past(1), endedAt(1), 'active');
  const forGood = decideEffectiveAccess([source('purchase')], NOW);
  t.deepEqual(withPastMembership(forGood, NOW), forGood);
  t.deepEqual(withPastMembership(endedAt(-1), null), endedAt(-1));
  t.deepEqual(withPastMembership(NO_ACCESS, null), NO_ACCESS);
});

test('a live membership opens an Included product without a purchase behind it', (t) => {
  const access = withMembership(NO_ACCESS, { endsAt: null });
  t.deepEqual(access, { isActive: true, type: 'member', source: 'member', endsAt: null });
});

test('a membership beside an active source lengthens the end and leaves the type', (t) => {
  const own = decideEffectiveAccess([source('complimentary', { endsAt: hours(1) })], NOW);
  t.deepEqual(withMembership(own, { endsAt: hours(9) }), { ...own, endsAt: hours(9) });
  t.deepEqual(withMembership(own, { endsAt: null }), { ...own, endsAt: null });
  t.deepEqual(withMembership(own, { endsAt: hours(0.5) }), own);
  t.deepEqual(withMembership(own, null), own);
});

test('the next boundary is the nearest start or end that is still ahead', (t) => {
  const sources = [
    source('complimentary', { startsAt: hours(3), endsAt: hours(9) }),
    source('subscription', { endsAt: hours(2) }),
    source('purchase', { endsAt: hours(-2) }),
  ];
  t.deepEqual(decideRecheckAt(sources, NOW), hours(2));
  t.is(decideRecheckAt([source('purchase')], NOW), null);
  t.is(decideRecheckAt([source('purchase', { startsAt: NOW })], NOW), null);
});

test('until the next boundary the effective access stays what it is: the stored one may answer', (t) => {
  const offset = fc.integer({ min: -20, max: 20 });
  const anySource = fc.record({
    type: fc.constantFrom('purchase' as const, 'subscription' as const, 'complimentary' as const),
    source: fc.constantFrom('a', 'b', 'c'),
    startsAt: offset.map(hours),
    endsAt: fc.option(offset.map(hours)),
    withdrawnAt: fc.option(offset.map(hours)),
  });
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.array(anySource, { maxLength: 5 }), fc.nat(40 * 3_600_000), (sources, ms) => {
        const later = new Date(NOW.getTime() + ms);
        const recheckAt = decideRecheckAt(sources, NOW);
        if (recheckAt && later >= recheckAt) return;
        t.deepEqual(decideEffectiveAccess(sources, later), decideEffectiveAccess(sources, NOW));
      }),
      { numRuns: 1_000 },
    ),
  );
});
