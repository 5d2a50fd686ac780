import { MikroORM } from '@mikro-orm/postgresql';
import test from 'ava';
import { ENTITIES } from '../../domain/entities.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
test.before(async () => {
  database = await createTestDatabase();
});
test.after.always(() => database?.drop());

test('every entity has the columns that the migrations made, with the same nullability', async (t) => {
  const columns = await database.query<{ table: string; column: string; nullable: boolean }>(
    `select table_name as "table", column_name as "column", is_nullable = 'YES' as nullable
     from information_schema.columns where table_schema = 'public'`,
  );
  const orm = new MikroORM({ clientUrl: database.url, entities: ENTITIES });
  for (const meta of orm.getMetadata().getAll().values()) {
    const expected = meta.props
      .map(({ fieldNames, nullable }) => `${fieldNames[0]}${nullable ? '?' : ''}`)
      .toSorted();
    const actual = columns
      .filter(({ table }) => table === meta.tableName)
      .map(({ column, nullable }) => `${column}${nullable ? '?' : ''}`)
      .toSorted();
    t.deepEqual(expected, actual, meta.className);
  }
  await orm.close(true);
});

test('every table but those without an entity of their own is mapped', async (t) => {
  const tables = await database.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public'`,
  );
  const orm = new MikroORM({ clientUrl: database.url, entities: ENTITIES });
  const mapped = [...orm.getMetadata().getAll().values()].map(({ tableName }) => tableName);
  const unmapped = tables.map(({ name }) => name).filter((name) => !mapped.includes(name));
  t.deepEqual(unmapped.toSorted(), [
    'check_batch',
    'delivery_lease',
    'migration',
    'processor_mark',
    'rate_window',
    'test_clock',
  ]);
  await orm.close(true);
});
