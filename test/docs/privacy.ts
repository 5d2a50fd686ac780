import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MikroORM, type EntityMetadata } from '@mikro-orm/postgresql';
import test from 'ava';
import { ENTITIES } from '../../domain/entities.ts';
import { readSourceFiles, ROOT } from '../support/repository/imports.ts';

const PAGE = readFileSync(join(ROOT, 'docs/privacy.md'), 'utf8');

/** Names of columns with an id, an address or a device of a person. */
const ABOUT_PEOPLE =
  /_by$|(^|_)(person|people|member|user|actor|subject|address|email|phone|ip|handle|device|browser|bucket|key)(_ids?)?$/;
/** What may hold anything. */
const CONTENT = /^(jsonb?|bytea)$/;
/** Rows about one person, to which other tables refer. */
const OF_ONE_PERSON = new Set([
  'checkout',
  'dispute',
  'membership',
  'notification',
  'payment',
  'purchase',
  'refund',
  'subscription',
]);

/** Columns that look like it, and why they are not. */
const NOBODY: Record<string, string> = {
  'api_request.api_key_id': 'a key of a product',
  'api_key.key_hash': 'a hash of a credential of a product',
  'client_secret.secret_hash': 'a hash of a credential of a product',
  'ledger_check.unbalanced': 'sums by currency',
  'pool_preview.figures': 'sums by product',
  'pool_review.figures': 'sums by product',
  'seal_review.criteria': 'sums by product',
};

const orm = new MikroORM({ clientUrl: 'postgres://nobody@127.0.0.1/none', entities: ENTITIES });
test.after.always(() => orm.close(true));
const tables = [...orm.getMetadata().getAll().values()];

function columnsAboutPeople({ tableName, props }: EntityMetadata): string[] {
  return props
    .filter(({ fieldNames, columnTypes, targetMeta }) => {
      if (targetMeta)
        return targetMeta.tableName === 'person' || OF_ONE_PERSON.has(targetMeta.tableName);
      const isContent = columnTypes.some((type) => CONTENT.test(type));
      const isNumber = columnTypes.some((type) => /^(int|bigint|smallint)/.test(type));
      return isContent || (ABOUT_PEOPLE.test(fieldNames[0]!) && !isNumber);
    })
    .map(({ fieldNames }) => fieldNames[0]!)
    .filter((column) => NOBODY[`${tableName}.${column}`] === undefined);
}

/** The table, what it has, how long it is kept and what is left of it. */
const lines = [...PAGE.matchAll(/^\| `(\w+)` +\|(.+)\|(.+)\|(.+)\|$/gm)].map(
  ([, table = '', has = '', kept = '', left = '']) => {
    return { table, has: has.trim(), kept: kept.trim(), left: left.trim() };
  },
);

test('every table with an id or an address of a person is on the page, and no other', (t) => {
  const expected = tables
    .filter((table) => columnsAboutPeople(table).length > 0)
    .map(({ tableName }) => tableName);
  const listed = lines.map(({ table }) => table);
  t.deepEqual(listed.toSorted(), expected.toSorted());
  t.is(new Set(listed).size, listed.length);
});

test('each column that is said to name nobody is there', (t) => {
  const columns = tables.flatMap(({ tableName, props }) =>
    props.flatMap(({ fieldNames = [] }) => `${tableName}.${fieldNames[0]}`),
  );
  for (const column of Object.keys(NOBODY)) t.true(columns.includes(column), column);
});

/** What the comment of a table says after _kept_, in the order of the sources. */
const COMMENTS = new Map(
  readSourceFiles()
    .filter(({ path }) => path.endsWith('.entity.ts'))
    .flatMap(({ path }) => [
      ...readFileSync(join(ROOT, path), 'utf8').matchAll(
        /\/\*\*((?:(?!\*\/)[^])*)\*\/\nexport const (\w+) = defineEntity/g,
      ),
    ])
    .map(([, comment = '', name = '']) => {
      const said = comment.replaceAll(/\s*\n \*\s*/g, ' ');
      return [name, said.slice(said.indexOf('kept'))] as const;
    }),
);

const SPANS =
  /\d+(?: to \d+)? (?:days|months)|for good|an hour|seconds|minutes|until (?:it|its|the) \w+/g;

test('the page keeps each table as long as its comment says', (t) => {
  for (const { table, kept } of lines) {
    const { className } = tables.find(({ tableName }) => tableName === table)!;
    const spans = COMMENTS.get(className)!.match(SPANS) ?? [];
    for (const span of spans) {
      const isSaid = kept.includes(span) || kept.includes(span.replace(/ to \d+/, ''));
      t.true(isSaid, `${table} is kept ${span}, and the page says: ${kept}`);
    }
  }
});

test('each line says what is kept of a person, and what is left after the account', (t) => {
  for (const { table, has, kept, left } of lines) {
    for (const text of [has, kept, left]) t.true(text.length > 3, table);
    t.regex(left, /^(goes|stays|ends by itself|emptied|refused at once|a random id)/, table);
  }
});
