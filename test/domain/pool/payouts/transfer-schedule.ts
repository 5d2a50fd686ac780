import test from 'ava';
import {
  decidePayoutStep,
  MOST_ATTEMPTS,
  waitAfterMs,
} from '../../../../domain/pool/payout-lines/transfer-schedule.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

test('a transfer is attempted after 1 min, 5 min, 30 min, 2 h, 12 h and then daily for 30 days', (t) => {
  const minutes = Array.from({ length: 37 }, (_, n) => (waitAfterMs(n + 1) ?? 0) / MINUTE_MS);
  t.deepEqual(minutes.slice(0, 5), [1, 5, 30, 120, 720]);
  t.deepEqual(
    minutes.slice(5, 35),
    Array.from({ length: 30 }, () => 1_440),
  );
  t.is(MOST_ATTEMPTS, 36);
  t.is(waitAfterMs(36), null);
});

const reason = 'no money there';

test('what follows from an attempt', (t) => {
  const made = { is: 'made', transferId: 'tr_1' } as const;
  t.deepEqual(decidePayoutStep(40, made), { status: 'paid', transferId: 'tr_1' });
  t.deepEqual(decidePayoutStep(1, { is: 'refused', reason }), { status: 'failed', reason });
  for (const is of ['not_made', 'unknown'] as const) {
    const waiting = { status: 'paying', reason } as const;
    t.deepEqual(decidePayoutStep(1, { is, reason }), { ...waiting, waitMs: MINUTE_MS });
    t.deepEqual(decidePayoutStep(35, { is, reason }), { ...waiting, waitMs: DAY_MS });
  }
});

test('after the last attempt it is given up once it is known that nothing was transferred', (t) => {
  for (const attempts of [36, 37, 50]) {
    const given = decidePayoutStep(attempts, { is: 'not_made', reason });
    t.deepEqual(given, { status: 'failed', reason });
    const asked = decidePayoutStep(attempts, { is: 'unknown', reason });
    t.deepEqual(asked, { status: 'paying', reason, waitMs: DAY_MS });
  }
});
