import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MikroORM } from '@mikro-orm/postgresql';
import test from 'ava';
import { ENTITIES } from '../domain/entities.ts';
import { readSourceFiles, ROOT } from './support/repository/imports.ts';

const sources = readSourceFiles()
  .filter(({ path }) => path.endsWith('.entity.ts'))
  .map(({ path }) => ({ path, source: readFileSync(join(ROOT, path), 'utf8') }));

const ENTITY = /\n(?=\/\*\*(?:(?!\*\/)[^])*\*\/\nexport const \w+ = define)/;

const LIFE = /Grows with [^;]+; kept .*\b(for good|(removed|dropped|emptied) by)\b/;

test('the comment of each table says what it grows with, how long rows are kept and by what they go', (t) => {
  for (const { path, source } of sources) {
    const comments = source.split(ENTITY).map((entity) => entity.split('*/')[0]!);
    const complete = comments.filter((text) => LIFE.test(text.replaceAll(/\s+(\* )?/g, ' ')));
    t.is(complete.length, source.split(' = defineEntity(').length - 1, path);
  }
});

test('each column has the name of its property, so that the query builder finds it', async (t) => {
  const orm = new MikroORM({ clientUrl: 'postgres://nobody@127.0.0.1/none', entities: ENTITIES });
  const camelCase = (name: string) => name.replaceAll(/_(.)/g, (_, letter) => letter.toUpperCase());
  for (const { className, tableName, props } of orm.getMetadata().getAll().values()) {
    t.is(camelCase(tableName), `${className[0]!.toLowerCase()}${className.slice(1)}`);
    for (const { name, fieldNames } of props) t.is(camelCase(fieldNames[0]!), name, className);
  }
  await orm.close(true);
});
