import { createHmac } from 'node:crypto';
import test from 'ava';
import { LAST_STEP, waitBeforeMs } from '../../../domain/webhooks/deliveries/retry-schedule.ts';
import { waitForAttemptMs } from '../../../domain/shared/wait-until-due.ts';
import { signatureHeader } from '../../../domain/webhooks/deliveries/sign-delivery.ts';

test('retries after failure at 1 minute, 5 minutes, 30 minutes, 2 hours, 12 hours; then dead', (t) => {
  const minutes = [1, 2, 3, 4, 5, 6].map((step) => (waitBeforeMs(step) ?? 0) / 60_000);
  t.deepEqual(minutes, [1, 5, 30, 120, 720, 0]);
  t.is(LAST_STEP, 5);
  t.is(waitBeforeMs(6), null);
});

test('the signed message is the timestamp, a dot, then the raw body bytes', (t) => {
  const body = Buffer.from('{"é":1}');
  const digest = createHmac('sha256', 'whsec_x').update('1700000000.{"é":1}').digest('hex');
  t.is(signatureHeader('whsec_x', body, 1_700_000_000), `t=1700000000,v1=${digest}`);
});

test('an attempt is waited for until its due time, never longer than the database said', (t) => {
  const dueAt = '2026-03-01T12:01:00.000Z';
  const noon = Date.parse('2026-03-01T12:00:00.000Z');
  const wait = (remainingMs: number, nowMs: number, isEarly = false) =>
    waitForAttemptMs({ dueAt, remainingMs, isEarly }, nowMs);
  t.is(wait(60_000, noon), 60_000);
  t.is(wait(60_000, noon + 20_000), 40_000, 'the worker was away for 20 seconds');
  t.is(wait(60_000, noon + 3_600_000) < 0, true, 'for an hour: it is due');
  t.is(wait(60_000, noon - 3_600_000), 60_000, "Temporal's clock is slow");
  t.is(wait(45_000, noon + 61_000, true), 45_000, 'the database says it is too early');
});
