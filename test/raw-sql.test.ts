// SQL by hand is kept where a reader expects it: in x.query.ts and in migrations, and little of it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { readSourceFiles, ROOT } from './support/repository/imports.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const files = readSourceFiles()
  .filter(({ path }) => /^(api|domain|workflows|activities|worker|clients|platform)\//.test(path))
  .map(({ path }) => ({ path, text: read(path) }));

const scripts = readSourceFiles()
  .filter(({ path }) => path.startsWith('scripts/'))
  .map(({ path }) => ({ path, text: read(path) }));

const queries = files.filter(({ path }) => path.endsWith('.query.ts'));
const others = files.filter((file) => !queries.includes(file));

const holding = (pattern: RegExp, among = files) =>
  among.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

const count = (pattern: RegExp, among: typeof files) =>
  among.reduce((sum, { text }) => sum + [...text.matchAll(pattern)].length, 0);

test('statements are written by hand in query files alone', (t) => {
  const statement =
    /\brows(<[^(]*>)?\(\s*em|\b(pool|client|fresh|admin)\s*\.query\b|\.executeQuery\(/;
  t.deepEqual(holding(statement, [...others, ...scripts]), [
    'api/health/health.routes.ts', // whether PostgreSQL answers
    'platform/database/database-log.ts', // the server's settings
    'platform/database/database.ts', // `rows`, which query files call
    'platform/database/notify.ts', // LISTEN and NOTIFY
    'scripts/roles.ts', // roles and rights, which no entity describes
  ]);
});

test('docs/performance.md says of each query file what it serves, what it buys, and a figure', (t) => {
  // A figure of the bench, or how much a statement does: never a dash.
  const row = /^\| `(\S+\.query\.ts)` *\| *\w[^|]*\| *\w[^|]*\|[^|]*\d[^|]*\|$/gm;
  const listed = [...read('docs/performance.md').matchAll(row)].map(([, path]) => path!);
  t.deepEqual(listed.toSorted(), queries.map(({ path }) => path).toSorted());
});

test('at most 26 query files with 110 statements in 3,500 lines', (t) => {
  const statements = count(/[`']\s*(with|select|insert|update|delete)\b/g, queries);
  t.true(queries.length > 5 && queries.length <= 26);
  t.true(statements > 20 && statements <= 110, String(statements));
  t.true(count(/\n/g, queries) <= 3_500);
});

test('a statement fits a screen: at most 80 lines, and the longest have 100 columns', (t) => {
  for (const { path, text } of queries) {
    for (const [statement] of text.matchAll(/`[^`]*`/g))
      t.true(statement.split('\n').length <= 80, path);
  }
  const longest = queries.filter(({ path }) =>
    /^domain\/webhooks\/deliveries\/(claim|record)-/.test(path),
  );
  t.is(longest.length, 2);
  t.deepEqual(holding(/^.{101}/m, longest), []);
});

test('elsewhere at most 40 fragments of SQL, each an expression inside a builder', (t) => {
  const fragments = count(/\bsql(<[^`(]*>)?`/g, others);
  t.true(fragments > 0 && fragments <= 40, String(fragments));
  t.deepEqual(holding(/\bsql\.raw\b/), []);
});

test('values never stand in the text of a statement', (t) => {
  t.deepEqual(holding(/\b(em|connection|getConnection\(\))\.execute\(/), []);
});

test('nothing reaches into the driver', (t) => {
  t.deepEqual(
    holding(/submittedNamedStatements|hasBeenParsed|handleDataRow|from 'pg\/lib|readyForQuery/),
    [],
  );
});

test('rows come with numbers, dates and camel case', (t) => {
  t.deepEqual(holding(/new Date\(row\./), []);
  const repositories = others.filter(({ path }) => path.endsWith('.repository.ts'));
  t.deepEqual(holding(/ as "[a-z]+[A-Z]/, repositories), []);
});
