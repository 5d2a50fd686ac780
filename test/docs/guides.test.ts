import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { readDefinitions } from '../support/repository/imports.ts';

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

type Step = { path: string; from: string };

const ways = read('docs/architecture.md')
  .split('\n## ')
  .slice(1, 4)
  .map((way) =>
    [...way.matchAll(/^\| \d+ +\| `([^`]+)` +\| (.+?) +\| /gm)].map(([, path, from]): Step => ({
      path: path!,
      from: from!,
    })),
  );

test('the ways through the code are as short as the architecture page says', (t) => {
  for (const [index, most] of [12, 25, 12].entries()) {
    const files = ways[index]!.map(({ path }) => path);
    t.true(files.length > 5 && files.length <= most);
    t.is(new Set(files).size, files.length);
    for (const path of files) t.true(existsSync(join(ROOT, path)), path);
  }
});

test('each file on a way is imported by the step that the page names, or says how the way jumps', (t) => {
  for (const way of ways) {
    for (const [index, { path, from }] of way.slice(1).entries()) {
      if (/^jump: \w/.test(from)) continue;
      const step = Number(from);
      t.true(step >= 1 && step <= index + 1, `${path}: from ${from}`);
      t.true(readDefinitions(way[step - 1]!.path).includes(path), `${path}: from step ${from}`);
    }
  }
});
