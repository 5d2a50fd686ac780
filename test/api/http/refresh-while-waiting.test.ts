import test from 'ava';
import { nextRefreshS } from '../../../api/http/refresh-while-waiting.ts';

test('a page that waits looks again ever more slowly, at most once a minute, and not for good', (t) => {
  const waits: number[] = [];
  let waitedS = 0;
  for (let next = nextRefreshS(0); next !== null; next = nextRefreshS(waitedS)) {
    waits.push(next);
    waitedS += next;
  }
  t.deepEqual(waits.slice(0, 8), [2, 3, 5, 8, 13, 21, 34, 60]);
  t.deepEqual(
    waits,
    waits.toSorted((one, other) => one - other),
  );
  t.is(Math.max(...waits), 60);
  t.true(waitedS >= 900 && waitedS < 960);
});

test('an answer that takes its time moves no page to an earlier step', (t) => {
  t.is(nextRefreshS(3), 3);
  t.is(nextRefreshS(6), 5);
});

test('a page that begins to wait in the future does not look again', (t) => {
  t.is(nextRefreshS(-1), null);
});
