import test from 'ava';
import pg from 'pg';
import { readJson } from '../../../platform/database/json-statement.ts';
import { createTestDatabase } from '../../support/database.ts';

const database = await createTestDatabase();
const pool = new pg.Pool({ connectionString: database.url, max: 1, query_timeout: 1_000 });
pool.on('error', () => undefined); // dropping the database may reach its sockets first

test.after.always(async () => {
  await pool.end();
  await database.drop();
});

const NUMBERS = {
  name: 'numbers',
  text: 'select json_build_array(n, $2::text) from generate_series(1, $1::int) n order by n',
};

// They share one connection.
test.serial('each row is one JSON value, in the order of the statement', async (t) => {
  t.deepEqual(await readJson(pool, NUMBERS, ['2', 'a "b"']), [
    [1, 'a "b"'],
    [2, 'a "b"'],
  ]);
  t.deepEqual(await readJson(pool, NUMBERS, ['1', null]), [[1, null]]);
  t.deepEqual(await readJson(pool, NUMBERS, ['0', '']), []);
});

test.serial('a connection prepares a statement once, whoever asks', async (t) => {
  const first = pool.query<{ n: number }>({ name: 'ones', text: 'select to_json(1) as n' });
  t.is((await first).rows[0]?.n, 1);
  t.deepEqual(await readJson(pool, { name: 'ones', text: 'select to_json(1) as n' }, []), [1]);
  // A second one of this name PostgreSQL would refuse.
});

test.serial('what PostgreSQL refuses is told as its fault, and the next is served', async (t) => {
  const error = await t.throwsAsync(readJson(pool, NUMBERS, ['many', '']), {
    instanceOf: pg.DatabaseError,
  });
  t.is((error as pg.DatabaseError).code, '22P02');
  await t.throwsAsync(readJson(pool, { name: 'broken', text: 'select from nowhere' }, []), {
    instanceOf: pg.DatabaseError,
  });
  t.deepEqual(await readJson(pool, NUMBERS, ['1', 'x']), [[1, 'x']]);
});

test.serial('a statement that is not answered in time fails', async (t) => {
  const sleep = { name: 'sleep', text: `select to_json(pg_sleep(30)::text)` };
  await t.throwsAsync(readJson(pool, sleep, []), { message: /timeout/ });
});
