import { existsSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RoleUrls } from '../../../scripts/roles.ts';
import { openDataDir, openThrowaway, type Throwaway } from '../../../dev/data/data-dir.ts';
import { loadSecrets } from '../../../dev/data/secrets.ts';
import { resolvePorts } from '../../../dev/ports.ts';
import { prepareDatabase, roleUrls, startPostgres, urlFor } from '../../../dev/postgres.ts';
import type { Launch } from '../../../dev/process/launch.ts';
import { readCommandLine, stopOrphans } from '../../../dev/process/running.ts';
import { startTemporal } from '../../../dev/temporal.ts';
import { openSimulatorDatabase } from '../../../packages/simulator/database.ts';
import { addTestClock, hashCheaply, TEMPLATE } from './database.ts';
import { findParent, MEMORY } from './folder.ts';

export type Engines = { databaseUrl: string; temporalAddress: string };

const FOR_TESTS = {
  dynamicConfig: {
    // Sending as many messages as Temporal's default asks for took a test half a minute.
    'limit.historyCount.suggestContinueAsNew': '500',
    // By default Temporal fires timers up to a second late, to bear clocks of several machines: each
    // step of a skipped time took that second.
    'history.timerProcessorMaxTimeShift': '"50ms"',
    // Each file has queues of its own, and of each four parts handed tasks and polls to each other.
    'matching.numTaskqueueReadPartitions': '1',
    'matching.numTaskqueueWritePartitions': '1',
  },
  // Of its time it collected garbage for a seventh; memory is there.
  variables: { GOGC: '400' },
};
const PREFIX = 'gatehouse-test-';
const FOLDER = /^gatehouse-test-(\d+)-\d+$/;

/** A PostgreSQL with a migrated template database and a Temporal server, of this run alone. */
export async function startEngines(launched: Launch): Promise<Engines> {
  await removeLeftovers();
  const { signal } = launched;
  const place = openThrowaway(launched, { prefix: PREFIX, parent: findParent() });
  const { postgres, temporal, uiPort } = await resolvePorts({
    postgres: 0,
    temporal: 0,
    uiPort: 0,
  });
  const [databaseUrl] = await Promise.all([
    runPostgres({ ...place, port: postgres, signal }),
    startTemporal({ ...place, ...FOR_TESTS, port: temporal, uiPort, signal }),
  ]);
  console.log('PostgreSQL and Temporal are ready, the template database is migrated');
  return { databaseUrl, temporalAddress: `127.0.0.1:${temporal}` };
}

async function runPostgres(
  given: Throwaway & { port: number; signal: AbortSignal },
): Promise<string> {
  const { databasePassword: password } = loadSecrets(given.dataDir);
  const postgres = await startPostgres({ ...given, password, isDurable: false });
  await prepareTemplate(given.port, password);
  return postgres.urlOf('postgres');
}

/** The migrated template, with what most tests would add to their copy: a clock, and the simulator. */
export async function prepareTemplate(port: number, password: string): Promise<void> {
  await prepareDatabase(templateUrls(port, password));
  const url = urlFor({ port, password }, TEMPLATE);
  await addTestClock(url);
  await hashCheaply(url);
  const simulator = await openSimulatorDatabase(url);
  await simulator.end();
}

/** In tests all roles have one password: from one address follow the others. */
function templateUrls(port: number, databasePassword: string): RoleUrls {
  const secrets = {
    databasePassword,
    ownerPassword: databasePassword,
    appPassword: databasePassword,
  };
  return roleUrls({ port, secrets }, TEMPLATE);
}

/** Runs that were killed leave their folder, and perhaps their engines. */
async function removeLeftovers(): Promise<void> {
  for (const parent of [tmpdir(), MEMORY].filter(existsSync)) await removeLeftoversIn(parent);
}

async function removeLeftoversIn(parent: string): Promise<void> {
  for (const name of readdirSync(parent)) {
    const pid = FOLDER.exec(name)?.[1];
    if (pid === undefined || readCommandLine(Number(pid)) !== '') continue;
    const folder = join(parent, name);
    try {
      openDataDir(folder);
      await stopOrphans(folder);
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // another user's, or another run is removing it
    }
  }
}
