import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { ROOT } from './support/repository/imports.ts';

const GUIDES = ['README.md', 'test/README.md', 'docs/**/*.md', 'packages/*/*.md'];

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const list = (patterns: string | string[]) => globSync(patterns, { cwd: ROOT }).toSorted();

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
