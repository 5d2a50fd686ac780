import test from 'ava';
import { createStartLimit } from '../../worker/start-limit.ts';

test('so many workflows start in a second as the limit says, in small batches', (t) => {
  let at = 0;
  const limit = createStartLimit(50, () => at);
  t.is(limit.free(), 5);
  let started = 0;
  for (; at < 10_000; at += limit.waitMs()) {
    const free = limit.free();
    t.true(free <= 5);
    limit.count(free);
    started += free;
  }
  t.is(started, 500);
});

test('what starts beyond the limit is made up for', (t) => {
  let at = 0;
  const limit = createStartLimit(10, () => at);
  limit.count(11);
  t.is(limit.free(), 0);
  at += 1_000;
  t.is(limit.free(), 0);
  at += 100;
  t.is(limit.free(), 1);
});

test('a limit of one a second lets one start each second', (t) => {
  let at = 0;
  const limit = createStartLimit(1, () => at);
  limit.count(limit.free());
  t.is(limit.free(), 0);
  t.is(limit.waitMs(), 1_000);
  at += 1_000;
  t.is(limit.free(), 1);
});
