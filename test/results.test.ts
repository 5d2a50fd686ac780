import test from 'ava';
import { findSlowestFiles, readResults } from './support/engines/results.ts';

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

test('the slowest files are named by the time between their first and their last test', (t) => {
  const lines = [
    '  ✔ one › quick',
    '  ✔ api › two › slow (4.5s)',
    '  ✔ one › late (1m 2s)',
    'noise',
  ];
  const found = findSlowestFiles(lines, [10, 12, 80, 81]);
  t.deepEqual(found, [
    { file: 'one', seconds: 70, endedAt: 80 },
    { file: 'api › two', seconds: 4.5, endedAt: 12 },
  ]);
  t.deepEqual(findSlowestFiles(['  ✔ a test of the only file (2s)'], [3]), []);
});
