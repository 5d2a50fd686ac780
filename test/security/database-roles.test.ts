import { randomBytes } from 'node:crypto';
import test from 'ava';
import pg from 'pg';
import { ENTITIES } from '../../domain/entities.ts';
import { openSimulatorDatabase } from '../../packages/simulator/database.ts';
import { applyRoles, type RoleUrls } from '../../scripts/roles.ts';
import { migrate } from '../../scripts/migrate.ts';
import { openDatabase } from '../../platform/database/database.ts';
import { openTestDatabase } from '../support/engines/database.ts';
import { startApi } from '../support/http/api.ts';

const DENIED = '42501';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);

/** Why the application's role may not do it; null where it may. */
async function refusal(sql: string): Promise<string | null> {
  try {
    await database.pool.query(sql);
    return null;
  } catch (error) {
    const { code, message } = error as pg.DatabaseError;
    return code === DENIED ? message : `${code}: ${message}`;
  }
}

const SCHEMA = [
  'create table public.planted (id int)',
  'create temp table planted (id int)',
  'create schema planted',
  'create extension citext',
  `create function planted() returns int language sql as 'select 1'`,
  `create or replace function gatehouse_now() returns timestamptz language sql as 'select now()'`,
  'alter table person add planted int',
  'drop table audit',
  'create index planted on person (id)',
  'drop trigger audit_is_kept on audit',
  'drop trigger ledger_is_kept on ledger_entry',
  'alter table audit disable trigger all',
  'alter table ledger_entry disable trigger ledger_is_balanced',
  'create trigger planted before insert on audit for each row execute function keep_audit()',
  'drop function keep_ledger() cascade',
  `set session_replication_role = 'replica'`,
  'set role gatehouse_owner',
  'set session authorization gatehouse_owner',
  'create role planted',
  `copy person to program 'cat'`,
];

for (const statement of SCHEMA) {
  test(`the application cannot: ${statement}`, async (t) => {
    t.regex((await refusal(statement)) ?? 'done', /^(permission denied|must be |cannot set )/);
  });
}

const KEPT = [
  ['audit', `update audit set action = 'a.b'`],
  ['audit', 'update audit set actor_id = null'],
  ['audit', 'delete from audit'],
  ['audit', 'truncate audit'],
  ['ledger_entry', 'update ledger_entry set amount_minor = 1'],
  ['ledger_entry', 'delete from ledger_entry'],
  ['ledger_entry', 'truncate ledger_entry'],
  ['price', 'update price set amount_minor = 1'],
  ['price', 'delete from price'],
  ['receipt', 'delete from receipt'],
  ['payment', 'delete from payment'],
  ['usage_month', 'delete from usage_month'],
  ['included_span', 'insert into included_span (product_id) select id from product'],
  ['included_span', 'update included_span set ended_at = null'],
  ['included_span', 'delete from included_span'],
  ['team_stay', 'insert into team_stay (started_at) values (now())'],
  ['team_stay', 'update team_stay set ended_at = now()'],
  ['team_stay', 'delete from team_stay'],
  ['person', 'truncate person cascade'],
  ['migration', 'select from migration'],
] as const;

for (const [table, statement] of KEPT) {
  test(`the application cannot change what is kept: ${statement}`, async (t) => {
    // Not the trigger's own words: the statement is refused before it reaches a row.
    t.is(await refusal(statement), `permission denied for table ${table}`);
  });
}

test('what triggers keep, the application has no right to remove', async (t) => {
  const kept = await testDatabase.query<{ name: string; isRemovable: boolean }>(
    `select distinct c.relname as name,
       has_table_privilege('gatehouse_app', c.oid, 'delete') as "isRemovable"
     from pg_trigger g join pg_class c on c.oid = g.tgrelid join pg_proc p on p.oid = g.tgfoid
     where p.proname like 'keep\\_%' and g.tgtype & 8 = 8`,
  );
  t.true(kept.length >= 3);
  t.deepEqual(
    kept.filter(({ isRemovable }) => isRemovable),
    [],
  );
});

test('nobody but the application and the owner may use the database', async (t) => {
  const [found] = await testDatabase.query(
    `select array(select a.grantee::regrole::text from pg_database d, aclexplode(d.datacl) a
       where d.datname = current_database() and a.grantee <> d.datdba) as users,
     array(select c.relname::text from pg_class c, aclexplode(c.relacl) a
       where c.relnamespace = 'public'::regnamespace and a.grantee = 0) as open,
     array(select c.relname::text from pg_class c
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v')
         and c.relname <> 'test_clock' and c.relowner <> 'gatehouse_owner'::regrole) as strays`,
  );
  t.deepEqual(found, { users: ['gatehouse_app'], open: [], strays: [] });
});

test('the tests run the application as the role that only reads and writes rows', async (t) => {
  const api = await startApi();
  t.teardown(() => api.close());
  const { rows } = await api.database.pool.query('select current_user as name');
  t.deepEqual(rows, [{ name: 'gatehouse_app' }]);
});

function makeUrls(): RoleUrls & { insideUrl: string } {
  const mark = randomBytes(4).toString('hex');
  const server = new URL(testDatabase.ownUrl);
  const urlOf = (username: string, password: string, name: string) => {
    const url = new URL(server);
    Object.assign(url, { username, password, pathname: `/${name}` });
    return url.href;
  };
  const { username, password } = server;
  return {
    adminUrl: urlOf(username, password, 'postgres'),
    insideUrl: urlOf(username, password, `roles_${mark}`),
    ownerUrl: urlOf(`owner_${mark}`, 'first', `roles_${mark}`),
    appUrl: urlOf(`app_${mark}`, 'second', `roles_${mark}`),
  };
}

async function runAs<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function removeLater(t: { teardown(work: () => Promise<void>): void }, urls: RoleUrls) {
  t.teardown(async () => {
    const given = [urls.ownerUrl, urls.appUrl, urls.simulatorUrl].flatMap((url) => url ?? []);
    const roles = given.map((url) => new URL(url).username);
    const database = new URL(urls.ownerUrl).pathname.slice(1);
    await runAs(urls.adminUrl, `drop database ${database} with (force)`);
    await runAs(urls.adminUrl, `drop role ${roles.join(', ')}`);
  });
}

test('roles are made from nothing, and a second run changes their passwords only', async (t) => {
  const urls = makeUrls();
  await applyRoles(urls);
  removeLater(t, urls);
  await migrate(urls.ownerUrl);
  const later = await openDatabase({
    url: urls.appUrl,
    listenUrl: urls.appUrl,
    name: 'test',
    entities: ENTITIES,
  });
  t.is((await later.pool.query('select from person')).rowCount, 0, 'before its rights are renewed');
  await later.close();

  const changed = { ...urls, appUrl: urls.appUrl.replace(':second@', ':third@') };
  await Promise.all([applyRoles(changed), applyRoles(changed)]);
  await t.throwsAsync(runAs(urls.appUrl, 'select'), { code: '28P01' });
  await t.throwsAsync(runAs(changed.appUrl, 'delete from ledger_entry'), { code: DENIED });
  await runAs(changed.ownerUrl, 'create table later (id int)');
  t.deepEqual(await runAs(changed.appUrl, 'insert into later values (1) returning id'), [
    { id: 1 },
  ]);
});

test('tables that a superuser made become the owner’s', async (t) => {
  const urls = makeUrls();
  await applyRoles(urls);
  removeLater(t, urls);
  await migrate(urls.insideUrl);
  await t.throwsAsync(runAs(urls.appUrl, 'select from person'), { code: DENIED });
  await applyRoles(urls);
  t.deepEqual(await migrate(urls.ownerUrl), []);
  t.deepEqual(await runAs(urls.appUrl, 'select basis_points from platform_fee'), [
    { basis_points: 1_000 },
  ]);
  await runAs(urls.ownerUrl, 'alter table person add later int');
});

test('a superuser, or the owner itself, is not taken for the application’s role', async (t) => {
  const urls = makeUrls();
  await applyRoles(urls);
  removeLater(t, urls);
  for (const appUrl of [urls.insideUrl, urls.ownerUrl]) {
    await t.throwsAsync(applyRoles({ ...urls, appUrl }), {
      message: /^APP_DATABASE_URL: the role/,
    });
  }
});

test('the payment simulator has a schema of its own, and reads nothing of the platform', async (t) => {
  const made = makeUrls();
  const simulatorUrl = made.appUrl.replace('://app_', '://simulator_');
  const urls = { ...made, simulatorUrl };
  await applyRoles(urls);
  removeLater(t, urls);
  await migrate(urls.ownerUrl);
  await applyRoles(urls);
  for (let start = 0; start < 2; start += 1)
    await (await openSimulatorDatabase(simulatorUrl)).end();
  await applyRoles(urls);
  const pool = await openSimulatorDatabase(simulatorUrl);
  t.teardown(() => pool.end());
  await pool.query(`insert into simulator.account (id, email) values ('acct_1', 'a@b.example')`);
  const { rows } = await pool.query<{ owner: string }>(
    `select distinct pg_get_userbyid(relowner) as owner from pg_class
     where relnamespace = 'simulator'::regnamespace and relkind in ('r', 'S', 'v')`,
  );
  t.deepEqual(rows, [{ owner: new URL(simulatorUrl).username }]);
  const tables = await runAs<{ name: string }>(
    urls.ownerUrl,
    `select c.oid::regclass::text as name from pg_class c
     join pg_namespace n on n.oid = relnamespace
     where nspname in ('public', 'partitions') and relkind in ('r', 'p', 'v', 'm')`,
  );
  t.true(tables.length > 50);
  for (const { name } of tables) {
    const table = name.includes('.') ? name : `public.${name}`;
    await t.throwsAsync(pool.query(`select from ${table} limit 1`), { code: DENIED }, table);
  }
  for (const statement of [
    'create table public.x (id int)',
    'create schema x',
    'create temp table x (id int)',
    'select public.gatehouse_now()',
    `set role ${new URL(urls.ownerUrl).username}`,
    `set role ${new URL(urls.appUrl).username}`,
  ]) {
    await t.throwsAsync(pool.query(statement), { code: DENIED }, statement);
  }
  await t.throwsAsync(runAs(urls.appUrl, 'select from simulator.account'), { code: DENIED });
});

test('the simulator’s role is neither the owner’s nor the application’s', async (t) => {
  const urls = makeUrls();
  await applyRoles(urls);
  removeLater(t, urls);
  for (const simulatorUrl of [urls.insideUrl, urls.ownerUrl, urls.appUrl]) {
    await t.throwsAsync(applyRoles({ ...urls, simulatorUrl }), {
      message: /^SIMULATOR_DATABASE_URL: the role/,
    });
  }
});
