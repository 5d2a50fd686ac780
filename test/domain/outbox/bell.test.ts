import test from 'ava';
import { createBell } from '../../../domain/outbox/bell.ts';

const AN_HOUR_MS = 3_600_000;

test('a ring ends the wait', async (t) => {
  const bell = createBell();
  const waiting = bell.wait(AN_HOUR_MS);
  bell.ring();
  await t.notThrowsAsync(waiting);
});

test('a ring before the wait is not lost, and many rings are one', async (t) => {
  const bell = createBell();
  bell.ring();
  bell.ring();
  await bell.wait(AN_HOUR_MS);
  let isAwake = false;
  const second = bell.wait(AN_HOUR_MS).then(() => (isAwake = true));
  await Promise.resolve();
  t.false(isAwake);
  bell.ring();
  await second;
});

test('without a ring the time ends the wait', async (t) => {
  await t.notThrowsAsync(createBell().wait(1));
});
