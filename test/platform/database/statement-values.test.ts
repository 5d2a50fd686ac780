import test from 'ava';
import pg from 'pg';
import { PreparingClient } from '../../../platform/database/preparing-client.ts';
import { createTestDatabase } from '../../support/engines/database.ts';
import { toArrayParameter } from '../../../platform/database/array-parameter.ts';

const database = await createTestDatabase();
test.after.always(() => database.drop());

async function connect() {
  const client = new PreparingClient({ connectionString: database.url });
  await client.connect();
  return client;
}

const prepared = async (client: pg.Client) =>
  (await client.query('select statement from pg_prepared_statements')).rows.map(
    ({ statement }) => statement,
  );

test('a statement with values is parsed once by each connection', async (t) => {
  const [first, second] = await Promise.all([connect(), connect()]);
  t.teardown(() => Promise.all([first.end(), second.end()]));
  const text = 'select $1::int + 1 as sum';
  for (const value of [1, 2]) {
    t.deepEqual((await first.query(text, [value])).rows, [{ sum: value + 1 }]);
  }
  t.deepEqual(await prepared(first), [text]);
  t.deepEqual(await prepared(second), []);
});

test('a statement without values, and one with a name, are sent as they are', async (t) => {
  const client = await connect();
  t.teardown(() => client.end());
  await client.query('select 1');
  await client.query('select 2', []);
  await client.query({ name: 'mine', text: 'select $1::int', values: [3] });
  t.deepEqual(await prepared(client), ['select $1::int']);
});

test('a statement that fails may be asked again, and others after it', async (t) => {
  const client = await connect();
  t.teardown(() => client.end());
  const text = 'select 1 / $1::int as result';
  await t.throwsAsync(client.query(text, [0]), { message: 'division by zero' });
  t.deepEqual((await client.query(text, [1])).rows, [{ result: 1 }]);
  await t.throwsAsync(client.query('select nothing where $1', [true]));
  t.deepEqual((await client.query(text, [1])).rows, [{ result: 1 }]);
});

test('the thousand statements that a process says first have names, and later ones none', async (t) => {
  const client = await connect();
  t.teardown(() => client.end());
  for (let place = 0; place < 1_100; place += 1) {
    await client.query(`select $1::int as c${place}`, [1]);
  }
  const names = await prepared(client);
  t.true(names.length > 900 && names.length <= 1_000, String(names.length));
  t.deepEqual((await client.query('select $1::int as last', [2])).rows, [{ last: 2 }]);
});

const LISTS: Record<string, (Buffer | null)[]> = {
  nothing: [],
  'one hash': [Buffer.alloc(32, 7)],
  'what is missing between others': [null, Buffer.from('"a\\,{}'), null],
  'no bytes at all': [Buffer.alloc(0), Buffer.from([0, 255])],
  many: Array.from({ length: 64 }, (_, n) => Buffer.alloc(n, n)),
};

for (const [named, list] of Object.entries(LISTS)) {
  test(`${named}: a list of bytes arrives as it was given`, async (t) => {
    const found = await database.query<{ place: number; bytes: Buffer | null }>(
      `select place::int, bytes from unnest($1::bytea[]) with ordinality as given (bytes, place)
       order by place`,
      [toArrayParameter(list)],
    );
    t.deepEqual(
      found.map(({ bytes }) => bytes),
      list,
    );
    t.deepEqual(
      found.map(({ place }) => place),
      list.map((_, index) => index + 1),
    );
  });
}

test('a list of plain elements arrives as it was given', async (t) => {
  const [row] = await database.query('select $1::text[] as given', [
    toArrayParameter(['a', null, 1, true]),
  ]);
  t.deepEqual(row, { given: ['a', null, '1', 'true'] });
});
