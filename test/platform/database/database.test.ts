import test from 'ava';
import { ENTITIES } from '../../../domain/entities.ts';
import { LateRefusal, refuse } from '../../../domain/shared/refusal.ts';
import {
  inTransaction,
  openDatabase,
  rows,
  type EntityManager,
} from '../../../platform/database/database.ts';
import { createTestDatabase } from '../../support/engines/database.ts';
import { eventually } from '../../support/eventually.ts';
import { startProxy } from '../../support/http/proxy.ts';

const testDatabase = await createTestDatabase();
const { url } = testDatabase;

test.after.always(() => testDatabase.drop());

const SHORT_TIMEOUT = { poolSize: 1, timeoutMs: 1_000, entities: ENTITIES };

const open = (name: string, databaseUrl = url) =>
  openDatabase({ url: databaseUrl, listenUrl: url, name, ...SHORT_TIMEOUT });

const lockedBy = (name: string) =>
  testDatabase.query(
    `select from pg_locks join pg_stat_activity using (pid)
     where application_name = $1 and locktype = 'advisory'`,
    [name],
  );

test('a transaction given up while its statement runs lets go of its locks and its connection', async (t) => {
  const database = open('given_up');
  t.teardown(() => database.close());
  await t.throwsAsync(
    database.transaction((em) => rows(em, 'select pg_advisory_xact_lock(1), pg_sleep(10)')),
    { message: 'Query read timeout' },
  );
  await eventually(
    () => lockedBy('given_up'),
    (locks) => locks.length === 0,
  );
  t.is(await database.transaction(async () => 'again'), 'again');
});

// Serial: the others' starts would keep its first connection waiting beyond the limit.
test.serial(
  'a statement that waits for a lock ends on the server too once it is given up',
  async (t) => {
    const [holder, waiter] = [open('holder'), open('waiter')];
    t.teardown(() => Promise.all([holder.close(), waiter.close()]));
    const client = await holder.pool.connect();
    t.teardown(() => client.release(true)); // before the pool, which waits for it
    await client.query('select pg_advisory_lock(2)');
    await t.throwsAsync(waiter.pool.query('select pg_advisory_lock(2)'), {
      message: 'Query read timeout',
    });
    await t.throwsAsync(
      waiter.transaction((em) => rows(em, 'select pg_advisory_lock(2)')),
      { message: 'Query read timeout' },
    );
    await eventually(
      () => lockedBy('waiter'),
      (locks) => locks.length === 0,
    );
  },
);

test('transactions whose connection breaks leave their places in the pool', async (t) => {
  const database = open('broken');
  t.teardown(() => database.close());
  await t.throwsAsync(
    database.transaction((em) => rows(em, 'select pg_terminate_backend(pg_backend_pid())')),
    { message: /terminating connection/ }, // not that it could not be rolled back
  );
  t.is(await database.transaction(async () => 'again'), 'again');
});

test('transactions that a silent network swallows leave their places in the pool', async (t) => {
  const { hostname, port } = new URL(url);
  const proxy = await startProxy({ host: hostname, port: Number(port) });
  t.teardown(() => proxy.close());
  const proxied = new URL(url);
  proxied.host = `127.0.0.1:${proxy.port}`;
  const database = open('silent', proxied.href);
  t.teardown(() => database.close());
  const again = () => database.transaction(async () => 'again');
  await t.throwsAsync(
    database.transaction(async (em) => {
      proxy.hang();
      await rows(em, 'select 1');
    }),
    { message: 'Query read timeout' },
  );
  await t.throwsAsync(again(), { message: /connection timeout/ });
  proxy.restore();
  t.is(await again(), 'again');
  proxy.hang();
  await t.throwsAsync(again(), { message: 'Query read timeout' }); // even its beginning
  proxy.restore();
  t.is(await again(), 'again');
});

test('PostgreSQL ends what nobody waits for: statements within a second, transactions within ten', async (t) => {
  const database = open('settings');
  t.teardown(() => database.close());
  const sql = `select current_setting('client_connection_check_interval') as statement,
    current_setting('idle_in_transaction_session_timeout') as transaction`;
  const expected = [{ statement: '1s', transaction: '10s' }];
  t.deepEqual((await database.pool.query(sql)).rows, expected);
  t.deepEqual(await database.transaction((em) => rows(em, sql)), expected);
});

test('a command that refuses after its first write is rolled back, and so is the command that it serves', async (t) => {
  const database = open('late_refusal');
  t.teardown(() => database.close());
  const write = (em: EntityManager, key: string) =>
    rows(em, 'insert into throttle (key, points, expire) values (?, 1, 0)', [key]);
  const refuseLate = (em: EntityManager) =>
    inTransaction<object>(em, async (em) => {
      await write(em, 'late');
      throw new LateRefusal('taken');
    });
  const serve = (em: EntityManager) =>
    inTransaction(em, async (em) => {
      await write(em, 'served');
      return refuseLate(em);
    });
  t.deepEqual(await refuseLate(database.em()), refuse('taken'));
  t.deepEqual(await serve(database.em()), refuse('taken'));
  t.deepEqual(await testDatabase.query('select key from throttle'), []);
});
