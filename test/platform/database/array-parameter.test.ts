import test from 'ava';
import { toArrayParameter } from '../../../platform/database/array-parameter.ts';
import { createTestDatabase, type TestDatabase } from '../../support/engines/database.ts';

let database: TestDatabase;
test.before(async () => {
  database = await createTestDatabase();
});
test.after.always(() => database?.drop());

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
