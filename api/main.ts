// The API process: reads its settings, wires the services, serves until it is stopped.
import { createProcessor } from '../clients/processor/processor.ts';
import { ENTITIES } from '../domain/entities.ts';
import { ConfigurationError, readConfig } from '../platform/config.ts';
import { warnOfRevealingSettings } from '../platform/database/database-log.ts';
import { openDatabase } from '../platform/database/database.ts';
import { listen } from '../platform/http-server.ts';
import { createLogger } from '../platform/log.ts';
import { listenForStop, untilAborted } from '../platform/shutdown.ts';
import { releaseMemory } from '../platform/start-memory.ts';
import { createRequestRecorder } from '../domain/request-log/request-recorder.command.ts';
import { createIntegrationRecorder } from '../domain/seal/integration-counts.repository.ts';
import { createUsageRecorder } from '../domain/usage/usage-recorder.command.ts';
import { createApp } from './app.ts';
import { watchTemporal } from './health/temporal-health.ts';

/** The time in which callers with a kept connection learn that it closes. */
const GRACE_MS = 1_000;
const STOP_TIMEOUT_MS = 15_000;

async function main(): Promise<void> {
  const config = readConfig();
  const stop = listenForStop();
  const logger = createLogger({ name: 'api', ...config.log });
  const database = openDatabase({
    url: config.databaseUrl,
    listenUrl: config.listenDatabaseUrl,
    name: 'api',
    entities: ENTITIES,
  });
  void warnOfRevealingSettings(database.pool, logger);
  const temporal = watchTemporal(config.temporal);
  const processor = createProcessor(config.processor);
  const usage = createUsageRecorder(database.pool, logger);
  const integrations = createIntegrationRecorder(database, logger);
  const requests = config.isRequestLogKept ? createRequestRecorder(database, logger) : null;
  const recorders = { usage, requests, integrations };
  const app = createApp({ config, database, processor, logger, temporal, ...recorders });
  await releaseMemory();
  const listener = await listen(app, {
    hosts: config.listenHosts,
    port: config.port,
    graceMs: GRACE_MS,
  });

  logger.info({ port: listener.port }, 'serving');
  process.send?.('ready');

  await untilAborted(stop);
  logger.info('the API is stopping');
  // A database that hangs must not keep us.
  setTimeout(() => process.exit(1), STOP_TIMEOUT_MS).unref();
  await listener.close();
  await usage.close();
  await integrations.close();
  await requests?.close();
  temporal.close();
  await database.close().catch(() => undefined);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof ConfigurationError ? error.message : error);
  process.exitCode = 1;
}
process.exit();
