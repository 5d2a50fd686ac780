import { readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RoleUrls } from '../../scripts/roles.ts';
import { readHostEnvironment } from '../../platform/config.ts';
import { acquireLock } from '../../dev/data/lock.ts';
import { loadSecrets } from '../../dev/data/secrets.ts';
import { openThrowaway, type Throwaway } from '../../dev/data/throwaway.ts';
import { prepareDatabase, roleUrls } from '../../dev/engines/postgres-roles.ts';
import { findTemporal } from '../../dev/engines/temporal-binary.ts';
import { resolvePorts } from '../../dev/ports.ts';
import { startPostgres } from '../../dev/postgres.ts';
import type { Launch } from '../../dev/process/launch.ts';
import { readCommandLine } from '../../dev/process/running.ts';
import { stopOrphans } from '../../dev/process/orphans.ts';
import { startTemporal } from '../../dev/temporal.ts';
import { TEMPLATE } from './database.ts';

export type Engines = { databaseUrl: string; temporalAddress: string };

const PREFIX = 'gatehouse-test-';
const FOLDER = /^gatehouse-test-(\d+)-\d+$/;

/** A PostgreSQL with a migrated template database and a Temporal server, of this run alone. */
export async function startEngines(launched: Launch): Promise<Engines> {
  await removeLeftovers();
  const place = openThrowaway(launched, PREFIX);
  const ports = await resolvePorts({ postgres: 0, temporal: 0, temporalUi: 0 });
  const [databaseUrl] = await Promise.all([
    runPostgres(launched, place, ports.postgres),
    runTemporal(launched, place, ports),
  ]);
  return { databaseUrl, temporalAddress: `127.0.0.1:${ports.temporal}` };
}

async function runPostgres(launched: Launch, place: Throwaway, port: number): Promise<string> {
  const { signal, output } = launched;
  const { databasePassword } = loadSecrets(place.dataDir);
  const postgres = await startPostgres({
    ...place,
    port,
    password: databasePassword,
    isDurable: false,
    signal,
  });
  await prepareDatabase(templateUrls(port, databasePassword));
  output.say('PostgreSQL is ready, the template database is migrated');
  return postgres.urlOf('postgres');
}

/** In tests all roles have one password: from one address follow the others. */
export function templateUrls(port: number, databasePassword: string): RoleUrls {
  const secrets = {
    databasePassword,
    ownerPassword: databasePassword,
    appPassword: databasePassword,
  };
  return roleUrls({ port, secrets }, TEMPLATE);
}

async function runTemporal(
  { signal, output }: Launch,
  { children }: Throwaway,
  ports: { temporal: number; temporalUi: number },
): Promise<void> {
  const environment = readHostEnvironment();
  const { say: announce, progress } = output;
  const binary = await findTemporal({ environment, signal, announce, progress });
  const { temporal: port, temporalUi: uiPort } = ports;
  await startTemporal({ binary, port, uiPort, children, environment, signal });
  output.say('Temporal is ready');
}

/** Runs that were killed leave their folder, and perhaps their engines. */
async function removeLeftovers(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const pid = FOLDER.exec(name)?.[1];
    if (pid === undefined || readCommandLine(Number(pid)) !== '') continue;
    const folder = join(tmpdir(), name);
    try {
      acquireLock(folder);
      await stopOrphans(folder);
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // another user's, or another run is removing it
    }
  }
}
