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

test('the comment of each table says what the table grows with', (t) => {
  for (const { path, source } of sources) {
    const comments = source.split(ENTITY).map((entity) => entity.split('*/')[0]!);
    const said = comments.filter((comment) => comment.includes('Grows with '));
    t.is(said.length, source.split(' = defineEntity(').length - 1, path);
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
