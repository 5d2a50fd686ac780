import fc from 'fast-check';
import test from 'ava';
import { SHOWN_SEAL_STATES } from '../../../domain/catalog/shown-seal.ts';
import {
  decideSeal,
  isShown,
  LOSS_REASONS,
  mayAppeal,
  NO_SEAL,
  NOTICE_DAYS,
  SEAL_STATES,
  type Seal,
  type SealEvent,
  type SealNews,
} from '../../../domain/seal/seal-state.ts';

const DAY_MS = 24 * 60 * 60_000;
const AT = new Date('2026-06-01T04:00:00Z');
const after = (days: number) => new Date(AT.getTime() + days * DAY_MS);

const seal = (state: Seal['state'], more: Partial<Seal> = {}): Seal => ({
  ...NO_SEAL,
  state,
  ...more,
});

const NONE = seal('none');
const FIRST = seal('first_pass');
const HELD = seal('held');
const HELD_ONCE_FAILED = seal('held', { failures: 1 });
const NOTICED = seal('noticed', { failures: 2, noticeEndsAt: after(10) });
const OVER = seal('noticed', { failures: 2, noticeEndsAt: AT });
const LOST = seal('lost', { lossReason: 'review' });
const UNLISTED = seal('lost', { lossReason: 'unlisted' });
const REMOVED = seal('lost', { lossReason: 'removed' });
const RESTORED = seal('held', { restoredFrom: 'lost' });
const RESTORED_NOTICED = seal('held', { restoredFrom: 'noticed', noticeEndsAt: after(10) });
const RESTORED_OVER = seal('held', { restoredFrom: 'noticed', noticeEndsAt: AT });

const SEALS = {
  none: NONE,
  first_pass: FIRST,
  held: HELD,
  'held, failed once': HELD_ONCE_FAILED,
  noticed: NOTICED,
  'noticed, notice over': OVER,
  lost: LOST,
  'lost by unlisting': UNLISTED,
  'lost by removal': REMOVED,
  'restored from lost': RESTORED,
  'restored from noticed': RESTORED_NOTICED,
  'restored from noticed, notice over': RESTORED_OVER,
};

const EVENTS = {
  pass: { kind: 'reviewed', isPassed: true, at: AT },
  failure: { kind: 'reviewed', isPassed: false, at: AT },
  unlisted: { kind: 'closed', reason: 'unlisted' },
  removed: { kind: 'closed', reason: 'removed' },
  restored: { kind: 'restored' },
} as const satisfies Record<string, SealEvent>;

type Moves = Record<keyof typeof EVENTS, [Seal, SealNews | null] | null>;

const lostFor = (lossReason: Seal['lossReason']) => seal('lost', { lossReason });
const NOTICE = seal('noticed', { failures: 2, noticeEndsAt: after(NOTICE_DAYS) });

const closed = (news: SealNews | null) => ({
  unlisted: [lostFor('unlisted'), news] as [Seal, SealNews | null],
  removed: [lostFor('removed'), news] as [Seal, SealNews | null],
});

const TABLE: Record<keyof typeof SEALS, Moves> = {
  none: { pass: [FIRST, null], failure: [NONE, null], ...closed(null), restored: null },
  first_pass: { pass: [HELD, 'earned'], failure: [NONE, null], ...closed(null), restored: null },
  held: {
    pass: [HELD, null],
    failure: [HELD_ONCE_FAILED, null],
    ...closed('lost'),
    restored: null,
  },
  'held, failed once': {
    pass: [HELD, null],
    failure: [NOTICE, 'noticed'],
    ...closed('lost'),
    restored: null,
  },
  noticed: {
    pass: [HELD, null],
    failure: [NOTICED, null],
    ...closed('lost'),
    restored: [RESTORED_NOTICED, null],
  },
  'noticed, notice over': {
    pass: [HELD, null],
    failure: [lostFor('review'), 'lost'],
    ...closed('lost'),
    restored: [RESTORED_OVER, null],
  },
  lost: { pass: [FIRST, null], failure: [LOST, null], ...closed(null), restored: [RESTORED, null] },
  'lost by unlisting': {
    pass: [FIRST, null],
    failure: [UNLISTED, null],
    ...closed(null),
    restored: null,
  },
  'lost by removal': {
    pass: [FIRST, null],
    failure: [REMOVED, null],
    ...closed(null),
    restored: null,
  },
  'restored from lost': {
    pass: [HELD, null],
    failure: [lostFor('review'), 'lost'],
    ...closed('lost'),
    restored: null,
  },
  'restored from noticed': {
    pass: [HELD, null],
    failure: [seal('noticed', { failures: 1, noticeEndsAt: after(10) }), null],
    ...closed('lost'),
    restored: null,
  },
  'restored from noticed, notice over': {
    pass: [HELD, null],
    failure: [lostFor('review'), 'lost'],
    ...closed('lost'),
    restored: null,
  },
};

for (const [from, moves] of Object.entries(TABLE)) {
  for (const [name, expected] of Object.entries(moves)) {
    test(`${from}: ${name}`, (t) => {
      const event = EVENTS[name as keyof typeof EVENTS];
      const changed = decideSeal(SEALS[from as keyof typeof SEALS], event);
      t.deepEqual(changed, expected && { seal: expected[0], news: expected[1] });
    });
  }
}

test('buyers see a seal that is held, with or without notice', (t) => {
  t.deepEqual(SEAL_STATES.filter(isShown), [...SHOWN_SEAL_STATES]);
});

test('what a review did may be appealed against, and nothing else', (t) => {
  const contested = Object.entries(SEALS).filter(([, each]) => mayAppeal(each));
  t.deepEqual(
    contested.map(([name]) => name),
    ['noticed', 'noticed, notice over', 'lost'],
  );
});

const WEEK_DAYS = 7;

/** A year or two of weekly reviews, with an operator's word and an unlisting now and then. */
const story = fc.array(
  fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom('pass', 'failure') },
    { weight: 2, arbitrary: fc.constantFrom('restored', 'unlisted', 'removed') },
  ),
  { maxLength: 120 },
);

function tell(names: readonly (keyof typeof EVENTS)[]) {
  let current = NO_SEAL;
  let week = 0;
  return names.map((name) => {
    const given = EVENTS[name];
    if (given.kind === 'reviewed') week += 1;
    const at = after(week * WEEK_DAYS);
    const event = given.kind === 'reviewed' ? { ...given, at } : given;
    const before = current;
    const changed = decideSeal(before, event);
    if (changed) current = changed.seal;
    return { name, at, before, seal: current, news: changed?.news ?? null };
  });
}

test('a seal is earned by two passes in a row, and lost only after two failures and 60 days of notice', (t) => {
  fc.assert(
    fc.property(story, (names) => {
      const told = tell(names);
      let noticedAt: Date | null = null;
      let isEarned = false;
      for (const [index, step] of told.entries()) {
        const isReview = ({ name }: (typeof told)[number]) => name === 'pass' || name === 'failure';
        const reviewBefore = told.slice(0, index).findLast(isReview)?.name;
        if (step.news === 'earned') t.deepEqual([reviewBefore, step.name], ['pass', 'pass']);
        isEarned ||= step.news === 'earned';
        t.true(isEarned || !isShown(step.seal.state), 'what was never earned is never shown');
        if (step.news === 'noticed') {
          noticedAt = step.at;
          t.deepEqual([reviewBefore, step.name], ['failure', 'failure']);
        }
        const isByReview = step.news === 'lost' && step.name === 'failure';
        if (isByReview && step.before.restoredFrom !== 'lost')
          t.true(step.at.getTime() - noticedAt!.getTime() >= NOTICE_DAYS * DAY_MS);
      }
    }),
  );
});

test('a seal appears and disappears only with news or by an operator, and a pass never takes it away', (t) => {
  fc.assert(
    fc.property(story, (names) => {
      for (const { name, before, seal: now, news } of tell(names)) {
        const [was, is] = [isShown(before.state), isShown(now.state)];
        if (!was && is) t.true(news === 'earned' || name === 'restored');
        if (was && !is) t.is(news, 'lost');
        if (was && name === 'pass') t.true(is);
        if (name === 'unlisted' || name === 'removed') t.is(now.state, 'lost');
        t.is(now.noticeEndsAt !== null, now.state === 'noticed' || now.restoredFrom === 'noticed');
        t.is(now.lossReason !== null, now.state === 'lost');
        t.true(now.lossReason === null || LOSS_REASONS.includes(now.lossReason));
      }
    }),
  );
});
