import { createHmac } from 'node:crypto';
import test from 'ava';
import { LAST_STEP, waitBeforeMs } from '../../domain/webhooks/retry-schedule.ts';
import { signatureHeader } from '../../domain/webhooks/signature.ts';

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
