import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { ROOT } from './support/repository/imports.ts';

const CODE =
  '{activities,api,clients,dev,domain,packages,platform,scripts,worker,workflows}/**/*.ts';
const GUIDES = ['README.md', 'test/README.md', 'docs/**/*.md', 'packages/*/*.md'];

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const list = (patterns: string | string[]) => globSync(patterns, { cwd: ROOT }).toSorted();

// A sentence that begins with one of these leaves its subject to the reader.
const PREPOSITIONS = `about above across after against along among around as at before behind below beneath
  beside besides between beyond by despite during except for from here in inside into like near of off on
  onto out outside over past per since than through to toward towards under unlike until up upon via with
  within without`;
const CONJUNCTIONS = `also although and because but if nor once or so then though unless when where while yet`;
const OTHERS = 'null undefined says those';
const FIRST_WORDS = new Set([PREPOSITIONS, CONJUNCTIONS, OTHERS].join(' ').split(/\s+/));

function isWithoutSubject(comment: string): boolean {
  const [first = ''] = comment.toLowerCase().split(/[^a-z]/);
  return FIRST_WORDS.has(first) || /^the same\b/i.test(comment);
}

test('a doc comment begins with a verb or with the name of the thing', (t) => {
  const found: string[] = [];
  let count = 0;
  for (const path of list(CODE).filter((file) => !file.includes('node_modules/'))) {
    const text = read(path);
    for (const { 1: comment = '', index } of text.matchAll(/\/\*\*[\s*]*([\s\S]*?)\s*\*\//g)) {
      count += 1;
      const line = text.slice(0, index).split('\n').length;
      if (isWithoutSubject(comment)) found.push(`${path}:${line}: ${comment}`);
    }
  }
  t.true(count > 3_000);
  t.deepEqual(found, []);
});

const CODE_BLOCK = /^ *```[^]*?^ *```$/gm;
const LINK = /\[[^\]]*\]\([^)]*\)/g;

test('a line of Markdown has at most 160 characters, except in tables and code', (t) => {
  const pages = list(GUIDES);
  t.true(pages.length > 30);
  for (const page of pages) {
    const prose = read(page).replace(CODE_BLOCK, (block) => block.replace(/.*/g, ''));
    for (const [index, line] of prose.split('\n').entries()) {
      const isBreakable = /\S\s+\S/.test(line.replace(LINK, '').trim());
      if (line.startsWith('|') || !isBreakable) continue;
      t.true(line.length <= 160, `${page}:${index + 1}`);
    }
  }
});
