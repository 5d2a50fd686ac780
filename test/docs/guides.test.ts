import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';

const ROOT = join(import.meta.dirname, '../..');
const GUIDES = globSync('docs/*.md', { cwd: ROOT });
const PAGES = [...GUIDES, ...globSync('docs/decisions/*.md', { cwd: ROOT }), 'README.md'];

const read = (page: string) => readFileSync(join(ROOT, page), 'utf8');

test('every guide begins with whom it is for and what it answers', (t) => {
  t.true(GUIDES.length > 10);
  for (const guide of GUIDES) {
    t.regex(read(guide), /^# .+\n\nThis (guide|page) is for [^\n]+: it [^\n]+\.\n/, guide);
  }
});

test('every relative link of the documentation leads to a file', (t) => {
  for (const page of PAGES) {
    for (const [, target = ''] of read(page).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)) {
      t.true(existsSync(join(ROOT, dirname(page), target)), `${page}: ${target}`);
    }
  }
});

const FILE =
  /`((?:activities|api|clients|dev|docs|domain|packages|platform|scripts|test|worker|workflows)\/[^`\s<*]+)`/g;

test('every file that the documentation names is there', (t) => {
  for (const page of PAGES) {
    for (const [, path = ''] of read(page).matchAll(FILE)) {
      t.true(existsSync(join(ROOT, path)), `${page}: ${path}`);
    }
  }
});

test('the ways through the code are as short as the architecture page says', (t) => {
  const [, check = '', purchase = '', retry = ''] = read('docs/architecture.md').split('\n## ');
  const filesOf = (way: string) =>
    [...way.matchAll(/^\| \d+ +\| `([^`]+)`/gm)].map(([, path]) => path!);
  for (const [way, most] of [
    [check, 12],
    [purchase, 25],
    [retry, 12],
  ] as const) {
    const files = filesOf(way);
    t.true(files.length > 5 && files.length <= most);
    t.is(new Set(files).size, files.length);
    for (const path of files) t.true(existsSync(join(ROOT, path)), path);
  }
});
