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

const orm = async (...words: string[]) => {
  const env = { ...process.env, DATABASE_URL: database.ownUrl };
  const { stdout } = await run('npm', ['run', '--silent', 'orm', '--', ...words], {
    cwd: ROOT,
    env,
  });
  return stdout;
};

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

test('the schema generator finds no difference between the entities and the database', async (t) => {
  const said = stripVTControlCharacters(await orm('schema:update', '--dump'));
  const statements = said
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('set names'));
  t.deepEqual(statements, ['drop table if exists "test_clock" cascade;'], 'the clock of tests');
});
