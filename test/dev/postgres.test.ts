import { chownSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { ExecutionContext } from 'ava';
import pg from 'pg';
import { openDataDir } from '../../dev/data/data-dir.ts';
import { resolvePorts } from '../../dev/ports.ts';
import { startPostgres } from '../../dev/postgres.ts';
import { createChildren } from '../../dev/process/children.ts';
import { stopOrphans } from '../../dev/process/running.ts';
import { ensureDatabase } from '../support/engines/database.ts';
import { makeFolder } from '../support/engines/folder.ts';

async function start(t: ExecutionContext, dataDir: string) {
  const { port } = await resolvePorts({ port: 0 });
  const children = createChildren(dataDir);
  t.teardown(() => children.killAll());
  const { signal } = new AbortController();
  const options = { dataDir, port, password: 'a-password', isDurable: false, children, signal };
  return startPostgres(options);
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  // Ended by a stop of the server under it in some tests.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

test('data survives a stop, a killed server and a killed launcher', async (t) => {
  const dataDir = openDataDir(makeFolder(t));
  mkdirSync(join(dataDir, 'postgres.new'));
  const first = await start(t, dataDir);
  t.false(existsSync(join(dataDir, 'postgres.new')), 'half made by an interrupted run');
  await ensureDatabase(first, 'shop');
  await ensureDatabase(first, 'shop');
  await query(first.urlOf('shop'), 'create table kept as select 7 as number');
  await first.child.stop();
  t.is(await first.child.ended, 'exit code 0');

  const second = await start(t, dataDir);
  second.child.process.kill('SIGKILL');
  await second.child.ended;
  const third = await start(t, dataDir);

  // A new launcher knows nothing of the third but what its folder tells.
  t.deepEqual(await stopOrphans(dataDir), ['postgres']);
  t.is(await third.child.ended, 'exit code 0');
  const fourth = await start(t, dataDir);
  t.deepEqual(await query(fourth.urlOf('shop'), 'select number from kept'), [{ number: 7 }]);
  await fourth.child.stop();
});

test('a pid file whose number belongs to another program now does not stop the start', async (t) => {
  const dataDir = openDataDir(makeFolder(t));
  const first = await start(t, dataDir);
  await first.child.stop();
  const folder = join(dataDir, 'postgres');
  const pidFile = join(folder, 'postmaster.pid');
  writeFileSync(pidFile, `${process.pid}\n${folder}\n`);
  const { uid, gid } = statSync(folder);
  if (process.getuid?.() === 0) chownSync(pidFile, uid, gid);
  const second = await start(t, dataDir);
  t.true(second.child.isRunning());
  await second.child.stop();
});

test('a stop while it starts leaves nothing running', async (t) => {
  const dataDir = openDataDir(makeFolder(t));
  const { port } = await resolvePorts({ port: 0 });
  const children = createChildren(dataDir);
  const abort = new AbortController();
  const password = 'a-password';
  const { signal } = abort;
  const starting = startPostgres({ dataDir, port, password, isDurable: false, children, signal });
  abort.abort();
  await t.throwsAsync(starting, { name: 'AbortError' });
  const again = await start(t, dataDir);
  await again.child.stop();
  t.pass();
});
