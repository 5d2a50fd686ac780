// Wires the worker: dispatcher, outbox publisher, and the Temporal workers of the task queues.
import { NativeConnection } from '@temporalio/worker';
import { ENTITIES } from '../domain/entities.ts';
import { ConfigurationError, readConfig, type Config } from '../platform/config.ts';
import { warnOfRevealingSettings } from '../platform/database/database-log.ts';
import { openDatabase } from '../platform/database/database.ts';
import { listen } from '../platform/http-server.ts';
import { createLogger, type Logger } from '../platform/log.ts';
import { createAddressPolicy } from '../domain/shared/public-address.ts';
import { createSealer, createTokenSigner } from '../domain/shared/secrets.ts';
import { readOwnAddresses } from '../platform/own-addresses.ts';
import { releaseStartMemory } from '../platform/start-memory.ts';
import { listenForStop, untilAborted } from '../platform/shutdown.ts';
import { listenForWakes } from '../platform/database/notify.ts';
import { loadWorkflowBundle } from './bundle.ts';
import { createMailer } from '../clients/mail.ts';
import { createProcessor } from '../clients/processor/processor.ts';
import { createPublicHttp } from '../clients/public-http.ts';
import { startCheckCounter } from './jobs/add-up-checks.ts';
import { createClaims } from '../activities/webhooks/delivery-claims.ts';
import { startDispatcher } from './webhook-dispatcher.ts';
import { startEndpointCloser } from './jobs/close-endpoints.ts';
import { createActivities } from '../activities/index.ts';
import { createMailActivities } from '../activities/mail/mail.activities.ts';
import { createMetrics } from './metrics.ts';
import { startProductSettlement } from './jobs/settle-products.ts';
import { startPublisher } from './outbox-publisher.ts';
import { createDeliverySender } from '../activities/webhooks/send-delivery.ts';
import { ensureSchedules } from './schedules.ts';
import {
  installRuntime,
  openClient,
  startTaskWorkers,
  toConnection,
  untilAnswered,
} from './workers.ts';

const STOP_MS = 18_000;

async function run(config: Config, { logger, stop }: { logger: Logger; stop: AbortSignal }) {
  const services = await openServices(config, logger);
  const { temporal, metricsHosts: hosts, metricsPort: port } = config;
  const metricsServer = await listen(services.metrics.handler, { hosts, port });
  // None of these needs Temporal: first attempts continue, and messages wait in their rows.
  const dispatcher = startDispatcher(services);
  const closer = startEndpointCloser(services);
  const settlement = startProductSettlement(services);
  const counter = startCheckCounter(services);
  const { sendMail } = createMailActivities(services);
  const { workflowStartsPerS } = config;
  const publisher = startPublisher({ ...services, workflowStartsPerS, sendMail });
  const wakes = listenForWakes(config.listenDatabaseUrl, (channel) =>
    channel === 'gatehouse_delivery' ? dispatcher.wake() : publisher.wake(),
  );
  const stopSenders = () =>
    Promise.all(
      [dispatcher, closer, settlement, counter, publisher].map((sender) => sender.stop()),
    );
  stop.addEventListener('abort', () => void stopSenders());
  const connection = await untilAnswered(() => NativeConnection.connect(toConnection(temporal)), {
    ...temporal,
    logger,
    signal: stop,
  });
  if (connection) await runTasks({ temporal, services, connection, stop });
  await stopSenders();
  await Promise.all([wakes.close(), metricsServer.close(), services.close(), connection?.close()]);
}

async function openServices(config: Config, logger: Logger) {
  const { webhooks } = config;
  if (webhooks.allowedNetworks.length > 0) {
    logger.warn({ networks: webhooks.allowedNetworks }, 'webhooks may reach these networks');
  }
  const database = await openDatabase({
    url: config.databaseUrl,
    listenUrl: config.listenDatabaseUrl,
    name: 'worker',
    entities: ENTITIES,
  });
  void warnOfRevealingSettings(database.pool, logger);
  const metrics = createMetrics(database);
  const http = createPublicHttp({
    policy: createAddressPolicy({ ...webhooks, ownAddresses: readOwnAddresses() }),
  });
  const sealer = createSealer(config.secretKeys);
  const mailer = createMailer({ url: config.smtpUrl, from: config.mailFrom });
  const { client, close: closeClient } = openClient(config.temporal);
  return {
    database,
    claims: createClaims(database.pool),
    client,
    taskQueuePrefix: config.temporal.taskQueuePrefix,
    processor: createProcessor(config.processor),
    sender: createDeliverySender({ http, sealer, countAttempt: metrics.countAttempt, logger }),
    mailer,
    signer: createTokenSigner(config.secretKeys),
    baseUrl: config.baseUrl,
    support: config.supportEmail,
    logger,
    metrics,
    close: () => Promise.all([http.close(), database.close(), closeClient(), mailer.close()]),
  };
}

type Stage = {
  temporal: Config['temporal'];
  services: Awaited<ReturnType<typeof openServices>>;
  connection: NativeConnection;
  stop: AbortSignal;
};

/** Runs workflows and activities until a stop; work under way is finished. */
async function runTasks({ temporal, services, connection, stop }: Stage): Promise<void> {
  const { client, logger } = services;
  await untilAnswered(() => ensureSchedules(client, temporal.taskQueuePrefix), {
    ...temporal,
    logger,
    signal: stop,
  });
  if (stop.aborted) return;
  const workers = await startTaskWorkers({
    connection,
    temporal,
    activities: createActivities(services),
    workflowBundle: await loadWorkflowBundle(),
  });
  await releaseStartMemory();
  logger.info('the worker is ready');
  process.send?.('ready');
  await Promise.race([untilAborted(stop), workers.ended]);
  await workers.stop();
}

try {
  const config = readConfig();
  const logger = createLogger({ name: 'worker', ...config.log });
  installRuntime(logger);
  const stop = listenForStop();
  stop.addEventListener('abort', () => {
    logger.info('the worker is stopping');
    setTimeout(() => process.exit(1), STOP_MS).unref();
  });
  await run(config, { logger, stop }).catch((error: unknown) => {
    logger.fatal({ err: error }, 'the worker cannot go on');
    process.exitCode = 1;
  });
} catch (error) {
  console.error(error instanceof ConfigurationError ? error.message : error);
  process.exitCode = 1;
}
process.exit();
