import test from 'ava';
import { readResults } from './support/engines/results.ts';

const rows = [
  { lines: ['  ✔ one', '  ─', '', '  12 tests passed'], ok: true, passed: 12, failed: 0 },
  { lines: ['  ✔ one', '  ✘ [fail]: two', '', '  1 test failed'], ok: false, passed: 1, failed: 1 },
  {
    lines: ['  ✔ one', '  1 test passed', '  2 uncaught exceptions'],
    ok: false,
    passed: 1,
    failed: 2,
  },
  { lines: ['  ✔ one', '  1 test passed'], ok: false, passed: 1, failed: 1 },
  { lines: ['  ✘ Couldn’t find any files to test'], ok: true, passed: 0, failed: 1 },
  { lines: ['  \u001B[32m3 tests passed\u001B[39m'], ok: true, passed: 3, failed: 0 },
];

for (const { lines, ok, passed, failed } of rows) {
  test(`a report that ends with "${lines.at(-1)?.trim()}" means ${passed} passed, ${failed} failed (${ok})`, (t) => {
    t.deepEqual(readResults(lines, ok), { passed, failed });
  });
}
