import test from 'ava';
import { createNotifier } from '../../worker/jobs/notifier.ts';

const AN_HOUR_MS = 3_600_000;

test('a notification ends the wait', async (t) => {
  const notifier = createNotifier();
  const waiting = notifier.wait(AN_HOUR_MS);
  notifier.notify();
  await t.notThrowsAsync(waiting);
});

test('a notification before the wait is not lost, and several are one', async (t) => {
  const notifier = createNotifier();
  notifier.notify();
  notifier.notify();
  await notifier.wait(AN_HOUR_MS);
  let isAwake = false;
  const second = notifier.wait(AN_HOUR_MS).then(() => (isAwake = true));
  await Promise.resolve();
  t.false(isAwake);
  notifier.notify();
  await second;
});

test('without a notification the time ends the wait', async (t) => {
  await t.notThrowsAsync(createNotifier().wait(1));
});
