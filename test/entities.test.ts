import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { readSourceFiles, ROOT } from './support/imports.ts';

const sources = readSourceFiles()
  .filter(({ path }) => path.endsWith('.entity.ts'))
  .map(({ path }) => ({ path, source: readFileSync(join(ROOT, path), 'utf8') }));

const ENTITY = /\n(?=\/\*\*(?:(?!\*\/)[^])*\*\/\nexport const \w+ = define)/;

test('the comment of each table says what the table grows with', (t) => {
  for (const { path, source } of sources) {
    const comments = source.split(ENTITY).map((entity) => entity.split('*/')[0]!);
    const said = comments.filter((comment) => comment.includes('Grows with '));
    t.is(said.length, source.split(' = defineEntity(').length - 1, path);
  }
});
