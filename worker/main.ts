// Wires the worker: the loops and task queues of its roles.
import { NativeConnection } from '@temporalio/worker';
import { ENTITIES } from '../domain/entities.ts';
import { makePartitions } from '../domain/retention/partitions.repository.ts';
import { ConfigurationError, readConfig, type Config } from '../platform/config.ts';
import { warnOfRevealingSettings } from '../platform/database/database-log.ts';
import { openDatabase } from '../platform/database/database.ts';
import { listen } from '../platform/http-server.ts';
import { createLogger, type Logger } from '../platform/log.ts';
import { createAddressPolicy } from '../domain/shared/public-address.ts';
import { createEncryptor, createTokenSigner } from '../domain/shared/secrets.ts';
import { readOwnAddresses } from '../platform/own-addresses.ts';
import { releaseMemory } from '../platform/start-memory.ts';
import { listenForStop, untilAborted } from '../platform/shutdown.ts';
import { listenForWakes } from '../platform/database/notify.ts';
import { loadWorkflowBundle } from './bundle.ts';
import { createMailer } from '../clients/mail.ts';
import { createProcessor } from '../clients/processor/processor.ts';
import { createPublicHttp } from '../clients/public-http.ts';
import { createRepositories } from '../clients/repositories/repositories.ts';
import { createClaims } from '../domain/webhooks/deliveries/claims.command.ts';
import { startJobs } from './jobs/start-jobs.ts';
import { createActivities } from '../activities/index.ts';
import { listFailingWorkflows } from '../activities/sweep/failing-workflows.ts';
import { createMailActivities } from '../activities/mail/mail.activities.ts';
import { createMetrics } from './metrics.ts';
import { createDeliverySender } from '../activities/webhooks/delivery.activities.ts';
import { ensureSchedules } from './schedules.ts';
import { openSdkMetrics, type SdkMetrics } from './sdk-metrics.ts';
import {
  installRuntime,
  openClient,
  startTaskWorkers,
  taskQueuesOf,
  toConnection,
  untilTemporalResponds,
} from './workers.ts';
import type { TaskQueue } from '../workflows/contracts.ts';
import { RESPONSE_DEADLINE_MS } from '../domain/webhooks/deliveries/response-deadline.ts';

const STOP_MS = 18_000;

async function run({ config, logger, stop, sdkMetrics }: Run) {
  const services = await openServices({ config, logger, sdkMetrics });
  const { metricsHosts: hosts, metricsPort: port, workerRoles, workflowStartsPerS } = config;
  const metricsServer = await listen(services.metrics.handler, { hosts, port });
  const { sendMail } = createMailActivities(services);
  const jobs = startJobs({ ...services, workflowStartsPerS, sendMail }, workerRoles);
  const wakes =
    jobs.channels.length > 0 ? listenForWakes(config.listenDatabaseUrl, jobs.wake) : null;
  stop.addEventListener('abort', () => void jobs.stop().catch(() => undefined)); // awaited below
  const taskQueues = taskQueuesOf(workerRoles);
  try {
    if (taskQueues.length > 0) await runTasks({ config, taskQueues, services, stop });
    else await runJobsAlone(logger, stop);
  } finally {
    await jobs.stop(); // what is under way is recorded, and not sent again
  }
  await Promise.all([wakes?.close(), metricsServer.close()]);
  await services.close(); // after the last scrape, which reads them
}

type Run = { config: Config; logger: Logger; stop: AbortSignal; sdkMetrics: SdkMetrics };

async function openServices({ config, logger, sdkMetrics }: Omit<Run, 'stop'>) {
  const { webhooks } = config;
  if (webhooks.allowedNetworks.length > 0) {
    logger.warn({ networks: webhooks.allowedNetworks }, 'webhooks may reach these networks');
  }
  const database = openDatabase({
    url: config.databaseUrl,
    listenUrl: config.listenDatabaseUrl,
    name: 'worker',
    entities: ENTITIES,
  });
  void warnOfRevealingSettings(database.pool, logger);
  const { client, close: closeClient } = openClient(config.temporal);
  const { taskQueuePrefix } = config.temporal;
  const metrics = createMetrics(database, {
    readSdkMetrics: sdkMetrics.read,
    listFailing: () => listFailingWorkflows({ client, taskQueuePrefix }),
    logger,
  });
  const http = createPublicHttp({
    policy: createAddressPolicy({ ...webhooks, ownAddresses: readOwnAddresses() }),
    deadlineMs: RESPONSE_DEADLINE_MS,
  });
  const encryptor = createEncryptor(config.secretKeys);
  const mailer = createMailer({ url: config.smtpUrl, from: config.mailFrom });
  return {
    database,
    claims: createClaims(database.pool),
    client,
    taskQueuePrefix,
    processor: createProcessor(config.processor),
    sender: createDeliverySender({ http, encryptor, countAttempt: metrics.countAttempt, logger }),
    mailer,
    http,
    repositories: createRepositories({ get: http.get, baseUrls: config.forges }),
    signer: createTokenSigner(config.secretKeys),
    encryptor,
    baseUrl: config.baseUrl,
    support: config.supportEmail,
    logger,
    metrics,
    close: () => Promise.all([http.close(), database.close(), closeClient(), mailer.close()]),
  };
}

async function runJobsAlone(logger: Logger, stop: AbortSignal): Promise<void> {
  reportReady(logger);
  await untilAborted(stop);
}

type Tasks = {
  config: Config;
  taskQueues: TaskQueue[];
  services: Awaited<ReturnType<typeof openServices>>;
  stop: AbortSignal;
};

/** Runs workflows and activities until a stop; work under way is finished. */
async function runTasks({ config, taskQueues, services, stop }: Tasks): Promise<void> {
  const { temporal, workerRoles } = config;
  const { client, logger, baseUrl } = services;
  const retrying = { ...temporal, logger, signal: stop };
  if (workerRoles.includes('upkeep')) void makePartsNow(services);
  const connect = () => NativeConnection.connect(toConnection(temporal));
  const connection = await untilTemporalResponds(connect, retrying);
  if (!connection) return;
  try {
    if (workerRoles.includes('upkeep')) {
      await untilTemporalResponds(
        () => ensureSchedules(client, { prefix: temporal.taskQueuePrefix, baseUrl }),
        retrying,
      );
    }
    if (stop.aborted) return;
    const workflowBundle = await loadWorkflowBundle();
    const { buildId } = workflowBundle;
    const deployment = config.deployment && { buildId, ...config.deployment };
    const workers = await startTaskWorkers({
      connection,
      temporal,
      activities: createActivities(services),
      workflowBundle,
      taskQueues,
      deployment,
    });
    try {
      await releaseMemory();
      if (deployment) logger.info({ deployment }, 'the workers have a version');
      reportReady(logger);
      await Promise.race([untilAborted(stop), workers.ended]);
    } finally {
      await workers.stop(); // the connection closes for nobody who still holds it
    }
  } finally {
    await connection.close();
  }
}

/**
 * Makes the partitions at the start: after a restore or a long stop, no row waits for the next run
 * of `upkeep`.
 */
async function makePartsNow({ database, logger }: Tasks['services']): Promise<void> {
  await database
    .transaction(makePartitions)
    .catch((error: unknown) =>
      logger.warn({ err: error }, 'the months and days ahead were not made'),
    );
}

function reportReady(logger: Logger): void {
  logger.info('the worker is ready');
  process.send?.('ready');
}

try {
  const config = readConfig();
  const logger = createLogger({ name: 'worker', ...config.log });
  const sdkMetrics = await openSdkMetrics();
  installRuntime(logger, sdkMetrics);
  const stop = listenForStop();
  stop.addEventListener('abort', () => {
    logger.info('the worker is stopping');
    setTimeout(() => process.exit(1), STOP_MS).unref();
  });
  await run({ config, logger, stop, sdkMetrics }).catch((error: unknown) => {
    logger.fatal({ err: error }, 'the worker cannot go on');
    process.exitCode = 1;
  });
} catch (error) {
  console.error(error instanceof ConfigurationError ? error.message : error);
  process.exitCode = 1;
}
process.exit();
