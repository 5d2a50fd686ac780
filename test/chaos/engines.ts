// PostgreSQL and Temporal that a chaos run may kill: with durable commits and state on disk.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openThrowaway } from '../../dev/data/data-dir.ts';
import { loadSecrets } from '../../dev/data/secrets.ts';
import { resolvePorts } from '../../dev/ports.ts';
import { startPostgres } from '../../dev/postgres.ts';
import type { Child } from '../../dev/process/children.ts';
import type { Launch } from '../../dev/process/launch.ts';
import { startTemporal } from '../../dev/temporal.ts';
import { prepareTemplate } from '../support/engines/engines.ts';

export type MortalEngines = {
  databaseUrl: string;
  temporalAddress: string;
  killPostgres(downMs: number): Promise<void>;
  freezePostgres(downMs: number): Promise<void>;
  killTemporal(downMs: number): Promise<void>;
};

export async function startMortalEngines(launched: Launch): Promise<MortalEngines> {
  const { signal } = launched;
  const { dataDir, children } = openThrowaway(launched, { prefix: 'gatehouse-chaos-' });
  const ports = await resolvePorts({ postgres: 0, temporal: 0, temporalUi: 0 });
  const password = loadSecrets(dataDir).databasePassword;
  const postgresOptions = { dataDir, port: ports.postgres, password, isDurable: true };
  const runPostgres = () => startPostgres({ ...postgresOptions, children, signal });
  const temporalPorts = { port: ports.temporal, uiPort: ports.temporalUi };
  const databaseFile = join(dataDir, 'temporal.db');
  const runTemporal = () => startTemporal({ ...temporalPorts, databaseFile, children, signal });
  let postgres = await runPostgres();
  let temporal = await runTemporal();
  await prepareTemplate(ports.postgres, password);
  return {
    databaseUrl: postgres.urlOf('postgres'),
    temporalAddress: `127.0.0.1:${ports.temporal}`,
    async killPostgres(downMs) {
      await kill(postgres.child, downMs);
      postgres = await runPostgres();
    },
    async freezePostgres(downMs) {
      const group = -postgres.child.process.pid!;
      process.kill(group, 'SIGSTOP');
      await pause(downMs);
      process.kill(group, 'SIGCONT');
    },
    async killTemporal(downMs) {
      await kill(temporal, downMs);
      temporal = await runTemporal();
    },
  };
}

async function kill(child: Child, downMs: number): Promise<void> {
  child.kill();
  await child.ended;
  await pause(downMs);
}
