import { existsSync, readFileSync } from 'node:fs';
import test from 'ava';

const ROOT = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/security.md', ROOT), 'utf8');

/** How many requirements of level 1 each chapter of ASVS 5.0 has. */
const CHAPTERS = { 1: 8, 2: 4, 3: 8, 4: 2, 5: 4, 6: 13, 7: 6, 8: 4, 9: 4, 10: 5, 11: 3, 12: 3 };
const MORE = { 13: 1, 14: 2, 15: 3 };

test('every requirement of ASVS 5.0, level 1, has its line', (t) => {
  const numbers = [...page.matchAll(/^\| (\d+\.\d+\.\d+) /gm)].map(([, number]) => number!);
  t.is(new Set(numbers).size, 70);
  const counted: Record<string, number> = {};
  for (const number of numbers) {
    const chapter = number.split('.')[0]!;
    counted[chapter] = (counted[chapter] ?? 0) + 1;
  }
  t.deepEqual(counted, { ...CHAPTERS, ...MORE });
});

test('every file that the page names is there', (t) => {
  const named = [...page.matchAll(/`((?:api|domain|activities|local|test|docs)\/[^`]+)`/g)];
  t.true(named.length > 60);
  for (const [, path] of named) t.true(existsSync(new URL(path!, ROOT)), path);
});

test('every cookie that the application sets is explained', (t) => {
  const cookies = readFileSync(new URL('api/http/cookies.ts', ROOT), 'utf8');
  const names = new Set([...cookies.matchAll(/name: '(\w+)'/g)].map(([, name]) => name!));
  t.true(names.size >= 2);
  for (const name of names) t.true(page.includes(`\`gatehouse_${name}\``), name);
});
