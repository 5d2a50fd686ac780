import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MikroORM, ReferenceKind } from '@mikro-orm/postgresql';
import test from 'ava';
import { ENTITIES } from '../domain/entities.ts';
import { readSourceFiles, ROOT } from './support/repository/imports.ts';

const files = readSourceFiles();
const sources = files
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

const orm = new MikroORM({ clientUrl: 'postgres://nobody@127.0.0.1/none', entities: ENTITIES });
test.after.always(() => orm.close(true));
const entities = [...orm.getMetadata().getAll().values()];

test('each column has the name of its property, so that the query builder finds it', (t) => {
  const camelCase = (name: string) => name.replaceAll(/_(.)/g, (_, letter) => letter.toUpperCase());
  for (const { className, tableName, props } of entities) {
    t.is(camelCase(tableName), `${className[0]!.toLowerCase()}${className.slice(1)}`);
    const columns = props.filter(({ kind }) => kind !== ReferenceKind.ONE_TO_MANY);
    for (const { name, fieldNames } of columns) t.is(camelCase(fieldNames[0]!), name, className);
  }
});

test('a row refers to another by its id', (t) => {
  for (const { className, props } of entities) {
    const references = props.filter(({ kind }) => kind === ReferenceKind.MANY_TO_ONE);
    for (const { name, mapToPk } of references) t.true(mapToPk, `${className}.${name}`);
  }
});

const folders = new Map(
  sources.flatMap(({ path, source }) =>
    [...source.matchAll(/export const (\w+) = define/g)].map(([, name]) => [name, dirname(path)]),
  ),
);

test('a row lists others only inside its aggregate, and only where a use case reads both', (t) => {
  for (const { className, props } of entities) {
    const folder = folders.get(className)!;
    const readers = files
      .filter(
        ({ path }) => path.startsWith(`${folder}/`) && /\.(command|repository)\.ts$/.test(path),
      )
      .map(({ path }) => readFileSync(join(ROOT, path), 'utf8'));
    for (const { name, kind, targetMeta } of props) {
      if (kind !== ReferenceKind.ONE_TO_MANY) continue;
      t.is(folders.get(targetMeta!.className), folder, `${className}.${name}`);
      const isRead = new RegExp(`populate: \\[[^\\]]*'${name}'|\\.${name}\\.`);
      t.true(
        readers.some((text) => isRead.test(text)),
        `${className}.${name}`,
      );
    }
  }
});
