import test from 'ava';
import {
  createLogSampling,
  dayOf,
  decideQuota,
  MOST_OF_CREDENTIAL,
  MOST_OF_DAY,
  MOST_OF_OWNER,
  MOST_OF_PROCESS,
} from '../../../domain/request-log/log-sampling.ts';

const MINUTE_MS = 60_000;

type Asked = { credential?: string; isRefusal?: boolean; at: number };

/** How many of so many requests are taken, one a tenth of a second unless all come at once. */
function countTaken(
  budget: ReturnType<typeof createLogSampling>,
  {
    count,
    everyMs = 100,
    credential = 'key',
    isRefusal = false,
    at,
  }: Asked & { count: number; everyMs?: number },
) {
  const asked = Array.from({ length: count }, (_, n) => ({
    credential,
    owner: 'owner',
    isDraft: false,
    isRefusal,
    nowMs: at + n * everyMs,
  }));
  return asked.filter((request) => budget.takes(request)).length;
}

test('of one credential at most 200 requests a minute are taken, successes leave a quarter', (t) => {
  const budget = createLogSampling();
  t.is(countTaken(budget, { count: 300, at: 0 }), 150);
  t.is(countTaken(budget, { count: 300, at: 30_000, isRefusal: true, everyMs: 20 }), 50);
  t.is(countTaken(budget, { count: 1, at: 40_000, credential: 'another' }), 1);
  t.is(countTaken(budget, { count: 300, at: MINUTE_MS, isRefusal: true }), MOST_OF_CREDENTIAL);
});

test('a process takes at most 50 requests a second, whosever they are', (t) => {
  const budget = createLogSampling();
  const takenOf = (isRefusal: boolean, at: number) =>
    Array.from({ length: 1_000 }, (_, n) =>
      budget.takes({
        credential: `key ${n}`,
        owner: `owner ${n}`,
        isDraft: false,
        isRefusal,
        nowMs: at,
      }),
    ).filter(Boolean).length;
  t.is(takenOf(false, 0), 38);
  t.is(takenOf(true, 0), 12);
  t.is(takenOf(true, 1_000), MOST_OF_PROCESS);
});

/** How many of so many requests in one second are taken, each of a product of its own. */
function countTakenOf(
  budget: ReturnType<typeof createLogSampling>,
  { owner, isDraft = false }: { owner: string; isDraft?: boolean },
) {
  const asked = Array.from({ length: 60 }, (_, n) => ({
    credential: `${owner} ${n}`,
    owner,
    isDraft,
    isRefusal: true,
    nowMs: 0,
  }));
  return asked.filter((request) => budget.takes(request)).length;
}

test('all products of an owner take at most 15 of them, so that they silence no other', (t) => {
  const budget = createLogSampling();
  t.is(countTakenOf(budget, { owner: 'busy' }), MOST_OF_OWNER);
  t.is(countTakenOf(budget, { owner: 'quiet' }), MOST_OF_OWNER);
});

test('drafts take nothing of what owners do not share', (t) => {
  const budget = createLogSampling();
  const owners = Array.from({ length: 100 }, (_, n) => ({ owner: `builder ${n}`, isDraft: true }));
  const taken = owners.reduce((sum, owner) => sum + countTakenOf(budget, owner), 0);
  const others = Array.from({ length: 40 }, (_, n) => ({ owner: `quiet ${n}` }));
  const left = others.reduce((sum, owner) => sum + countTakenOf(budget, owner), 0);
  t.deepEqual({ taken, left }, { taken: 30, left: 20 });
});

test('owners that ask for all of it leave the others twenty requests a minute', (t) => {
  const budget = createLogSampling();
  /** Of each second of a minute, how many requests of an owner are taken behind busy ones. */
  const takenOf = (busy: number) =>
    Array.from({ length: 60 }, (_, second) => {
      const nowMs = MINUTE_MS * busy + second * 1_000;
      const ask = (owner: string, n: number) =>
        budget.takes({
          credential: `${owner} ${n}`,
          owner,
          isDraft: false,
          isRefusal: false,
          nowMs,
        });
      for (let n = 0; n < 80; n += 1) ask(`busy ${n % busy}`, n);
      return [0, 1].filter((n) => ask('quiet', n)).length;
    }).reduce((sum, taken) => sum + taken, 0);
  for (const [busy, least] of [
    [1, 60],
    [2, 20],
    [4, 20],
    [12, 20],
    [15, 20],
    [30, 20],
  ] as const) {
    const taken = takenOf(busy);
    t.true(taken >= least, `${busy} busy owners leave ${taken}`);
  }
});

const logged = { day: dayOf(new Date('2026-11-26')), successes: 100, refusals: 10 };

test('a quarter of the day is there at its beginning, the rest comes evenly', (t) => {
  const roomAt = (now: string) => decideQuota(logged, new Date(now)).room;
  t.deepEqual(roomAt('2026-11-26T00:00:00Z'), { successes: 1_650, refusals: 990 });
  t.deepEqual(roomAt('2026-11-26T12:00:00Z'), { successes: 4_275, refusals: 2_490 });
  const last = roomAt('2026-11-26T23:59:59.999Z');
  t.true(last.successes < MOST_OF_DAY.successes - 99 && last.refusals < MOST_OF_DAY.refusals - 9);
});

test('the next day begins anew, and a quota that is used up has no room', (t) => {
  const tomorrow = decideQuota(logged, new Date('2026-11-27T00:00:00Z'));
  t.deepEqual(tomorrow.logged, { day: logged.day + 1, successes: 0, refusals: 0 });
  t.deepEqual(tomorrow.room, { successes: 1_750, refusals: 1_000 });
  const full = { ...logged, ...MOST_OF_DAY };
  t.deepEqual(decideQuota(full, new Date('2026-11-26T12:00:00Z')).room, {
    successes: 0,
    refusals: 0,
  });
});

test('nine days of a product are fewer than 100,000 rows', (t) => {
  t.true(9 * (MOST_OF_DAY.successes + MOST_OF_DAY.refusals) <= 100_000);
});
