import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { migrate } from '../../scripts/migrate.ts';
import { ENTITIES } from '../../domain/entities.ts';
import {
  findRevealingSettings,
  LOG_SETTINGS,
  warnOfRevealingSettings,
} from '../../platform/database/database-log.ts';
import { openDatabase, rows } from '../../platform/database/database.ts';
import { newUuid } from '../../domain/shared/ids.ts';
import { createLogger } from '../../platform/log.ts';
import { openDataDir } from '../../dev/data/data-dir.ts';
import { resolvePorts } from '../../dev/ports.ts';
import { startPostgres } from '../../dev/postgres.ts';
import { createChildren } from '../../dev/process/children.ts';
import { readComposeFile } from '../support/repository/compose.ts';
import { ensureDatabase } from '../support/engines/database.ts';
import { eventually } from '../support/eventually.ts';
import { makeFolder } from '../support/engines/folder.ts';

const ADDRESS = 'secret.person@example.com';
const HASH = '$argon2id$v=19$m=65536$secret';

test('a statement that fails leaves neither its values in the log of PostgreSQL nor in ours', async (t) => {
  const dataDir = openDataDir(makeFolder(t));
  const { port } = await resolvePorts({ port: 0 });
  const children = createChildren(dataDir);
  t.teardown(() => children.killAll());
  const { signal } = new AbortController();
  const server = await startPostgres({
    dataDir,
    port,
    password: 'a-password',
    isDurable: false,
    children,
    signal,
  });
  await ensureDatabase(server, 'shop');
  const url = server.urlOf('shop');
  await migrate(url);
  const database = await openDatabase({ url, listenUrl: url, name: 'test', entities: ENTITIES });
  let ours = '';
  const output = { write: (line: string) => void (ours += line) };
  const logger = createLogger({ name: 'test', format: 'json', level: 'debug', output });
  const insert = () =>
    database.transaction((em) =>
      rows(
        em,
        `insert into person (id, handle, display_name, email, password_hash)
         values (?, 'secretperson', 'Secret Person', ?, ?)`,
        [newUuid(), ADDRESS, HASH],
      ),
    );
  await insert();
  const error = await t.throwsAsync(insert);
  logger.error({ err: error }, 'it failed');
  // A statement of the hot paths' pool, and one with its values in the text.
  await t.throwsAsync(database.pool.query('select $1::text, 1 / 0', [ADDRESS]));
  await t.throwsAsync(database.pool.query(`select '${ADDRESS}', 1 / 0`));
  const log = await eventually(
    () => readFileSync(join(dataDir, 'logs', 'postgres.log'), 'utf8'),
    (text) => text.includes('ERROR') && text.includes('person_'),
  );
  for (const text of [log, ours]) {
    t.notRegex(text, /secret\.person|\$argon2id|Secret Person|STATEMENT|DETAIL/);
  }
  t.regex(ours, /it failed/);

  t.deepEqual(await findRevealingSettings(database.pool), {});
  await warnOfRevealingSettings(database.pool, logger);
  t.notRegex(ours, /may write/);
  const changes = ['log_min_error_statement = error', 'log_min_duration_statement = 100'];
  for (const change of changes) {
    await database.pool.query(`alter role postgres set ${change}`);
  }
  const later = await openDatabase({ url, listenUrl: url, name: 'test', entities: ENTITIES });
  await warnOfRevealingSettings(later.pool, logger);
  t.regex(ours, /"log_min_duration_statement":"100","log_min_error_statement":"error"/);
  await Promise.all([database.close(), later.close()]);
  await server.child.stop();
});

test('the compose file starts PostgreSQL with the same settings', (t) => {
  const { command = [] } = readComposeFile().services['postgres']!;
  for (const setting of LOG_SETTINGS) t.true(command.includes(setting), setting);
});
