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
  /`((?:api|clients|dev|docs|domain|packages|platform|scripts|test|worker|workflows)\/[^`\s<*]+)`/g;

test('every file that the documentation names is there', (t) => {
  for (const page of PAGES) {
    for (const [, path = ''] of read(page).matchAll(FILE)) {
      t.true(existsSync(join(ROOT, path)), `${page}: ${path}`);
    }
  }
});
