import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import test from 'ava';
import { createTestDatabase, type TestDatabase } from './support/engines/database.ts';
import { ROOT } from './support/repository/imports.ts';

const run = promisify(execFile);

const FILES = readdirSync(join(ROOT, 'migrations'))
  .filter((file) => /^\d/.test(file))
  .map((file) => file.replace(/\.ts$/, ''));

let database: TestDatabase;
test.before(async () => {
  database = await createTestDatabase();
  await database.query('drop schema simulator cascade'); // it is no part of the migrations
});
test.after.always(() => database?.drop());

const CLI = join(ROOT, 'node_modules/.bin/mikro-orm');
const CONFIG = { MIKRO_ORM_CLI_CONFIG: './mikro-orm.config.ts' };

async function start(command: string, words: string[]): Promise<string> {
  const env = { ...process.env, ...CONFIG, DATABASE_URL: database.ownUrl };
  return (await run(command, words, { cwd: ROOT, env })).stdout;
}

/** As `npm run orm` does, without npm, which takes a third of a second of a core. */
const orm = (...words: string[]) => start(process.execPath, [CLI, ...words]);

test('every migration of the folder is applied, by the name of its file', async (t) => {
  const rows = await database.query<{ name: string }>('select name from migration order by id');
  t.deepEqual(
    rows.map(({ name }) => name),
    FILES.toSorted(),
  );
});

test("the ORM's command line knows the applied migrations and finds none pending", async (t) => {
  const listed = await orm('migration:list');
  for (const name of FILES) t.true(listed.includes(name), listed);
  t.regex(await orm('migration:pending'), /No pending migrations/);
});

test('no foreign key points into a table that is kept in parts', async (t) => {
  const partitioned = await database.query(`select 1 from pg_class where relkind = 'p'`);
  t.true(partitioned.length > 0);
  const into = await database.query(
    `select conname from pg_constraint join pg_class referred on referred.oid = confrelid
     where contype = 'f' and (referred.relkind = 'p' or referred.relispartition)`,
  );
  t.deepEqual(into, [], 'a part could not be dropped');
});

test('the schema generator finds no difference between the entities and the database', async (t) => {
  const words = ['run', '--silent', 'orm', '--', 'schema:update', '--dump'];
  const said = stripVTControlCharacters(await start('npm', words));
  const statements = said
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('set names'));
  t.deepEqual(statements, ['drop table if exists "test_clock" cascade;'], 'the clock of tests');
});
