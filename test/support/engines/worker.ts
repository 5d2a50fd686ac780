import { randomBytes } from 'node:crypto';
import { createPublicHttp } from '../../../clients/public-http.ts';
import { createRepositories } from '../../../clients/repositories/repositories.ts';
import type { Mailer } from '../../../clients/mail.ts';
import type { Processor } from '../../../clients/processor/processor.ts';
import { createClaims } from '../../../domain/webhooks/deliveries/claims.command.ts';
import { startDispatcher } from '../../../worker/webhook-dispatcher.ts';
import { startCloseEndpoints } from '../../../worker/jobs/close-endpoints.ts';
import type { BackgroundJob } from '../../../worker/jobs/background-job.ts';
import type { InlineAttempt } from '../../../worker/mail-at-once.ts';
import { createActivities, type Activities } from '../../../activities/index.ts';
import { startPublisher } from '../../../worker/outbox-publisher.ts';
import type { DeliverySender } from '../../../activities/services.ts';
import { createDeliverySender } from '../../../activities/webhooks/delivery.activities.ts';
import {
  openClient,
  startTaskWorkers,
  type DeploymentVersion,
  type TaskWorkers,
} from '../../../worker/workers.ts';
import type { Database } from '../../../platform/database/database.ts';
import { createLogger, type Logger } from '../../../platform/log.ts';
import { createAddressPolicy } from '../../../domain/shared/public-address.ts';
import { listenForWakes } from '../../../platform/database/notify.ts';
import {
  createEncryptor,
  createTokenSigner,
  type Encryptor,
  type TokenSigner,
} from '../../../domain/shared/secrets.ts';
import { loadWorkflowBundle } from '../../../worker/bundle.ts';
import type { TaskQueue } from '../../../workflows/contracts.ts';
import { createTestDatabase, openAppDatabase, type TestDatabase } from './database.ts';
import { connectTemporal, temporalSettings, type TestTemporal } from './temporal.ts';
import { RESPONSE_DEADLINE_MS } from '../../../domain/webhooks/deliveries/response-deadline.ts';

export type Stage = TestTemporal & {
  testDatabase: TestDatabase;
  database: Database;
  encryptor: Encryptor;
  signer: TokenSigner;
  sender: DeliverySender;
  logger: Logger;
  startDispatcher(): BackgroundJob;
  startCloseEndpoints(): BackgroundJob;
  startPublisher(options?: PublisherOptions): BackgroundJob;
  /** With today's workflows or those of another build, for all task queues of the stage or some. */
  startWorkers(
    workflowBundle?: { code: string },
    deployment?: DeploymentVersion,
    taskQueues?: TaskQueue[],
  ): Promise<TaskWorkers>;
  /** Closed with the stage: receivers and whatever else a test opens. */
  closeLater(close: () => Promise<void>): void;
  close(): Promise<void>;
};

type PublisherOptions = { sendMail?: InlineAttempt; workflowStartsPerS?: number };

type Options = {
  taskQueues: TaskQueue[];
  processor?: Processor;
  mailer?: Mailer;
  signer?: TokenSigner;
  encryptor?: Encryptor;
  baseUrl?: string;
  /** The address of all forges of repositories; nobody listens there, unless a test has one. */
  forgeUrl?: string;
  /** One that the caller drops. */
  testDatabase?: TestDatabase;
  /** In the place of the activities of these names, which may go on to the real ones. */
  activities?(parts: { testDatabase: TestDatabase; real: Activities }): object;
};

type Part = { wake?(): void; stop(): Promise<void> };

const LOCAL_ONLY = createAddressPolicy({ allowedNetworks: ['127.0.0.0/8'], isHttpAllowed: true });

const SECRET_KEYS = [{ id: 'test', key: randomBytes(32) }];

const NO_PROCESSOR = new Proxy({} as Processor, {
  get: () => () => Promise.reject(new Error('this test has no processor')),
});

const NO_MAILER: Mailer = {
  send: () => Promise.reject(new Error('this test has no mail server')),
  close: () => undefined,
};

/** What the worker meets outside; nobody, unless a test has somebody. */
function describeOutside({ processor = NO_PROCESSOR, mailer = NO_MAILER, baseUrl }: Options) {
  const support = 'help@gatehouse.example';
  return { processor, mailer, baseUrl: baseUrl ?? 'http://localhost:1', support };
}

function createParts() {
  const running: Part[] = [];
  const keep = <Kept extends Part>(part: Kept) => {
    running.push(part);
    return part;
  };
  return { running, keep };
}

/** The parts of the worker in this process, with a database and task queues of their own. */
export async function openStage(options: Options): Promise<Stage> {
  const temporal = await connectTemporal();
  const testDatabase = options.testDatabase ?? (await createTestDatabase());
  const database = openAppDatabase(testDatabase.url);
  const logger = createLogger({ name: 'test', format: 'json', level: 'silent' });
  const http = createPublicHttp({ policy: LOCAL_ONLY, deadlineMs: RESPONSE_DEADLINE_MS });
  const encryptor = options.encryptor ?? createEncryptor(SECRET_KEYS);
  const signer = options.signer ?? createTokenSigner(SECRET_KEYS);
  const sender = createDeliverySender({ http, encryptor, countAttempt: () => undefined, logger });
  const { connection, prefix: taskQueuePrefix, address } = temporal;
  const published = openClient({ address, namespace: 'default' });
  const parts = { database, encryptor, signer, sender, logger };
  const { forgeUrl: forge = 'http://127.0.0.1:9' } = options;
  const baseUrls = { github: forge, gitlab: forge, codeberg: forge };
  const services = {
    ...parts,
    ...describeOutside(options),
    http,
    repositories: createRepositories({ get: http.get, baseUrls }),
    client: published.client,
    taskQueuePrefix,
    claims: createClaims(database.pool),
  };
  const { running, keep } = createParts();
  const wakes = listenForWakes(testDatabase.url, () => running.forEach((part) => part.wake?.()));
  return {
    ...temporal,
    ...parts,
    testDatabase,
    // Each as that of another process.
    startDispatcher: () =>
      keep(startDispatcher({ database, claims: createClaims(database.pool), sender, logger })),
    startCloseEndpoints: () => keep(startCloseEndpoints({ database, logger })),
    startPublisher: (publisherOptions) =>
      keep(startPublisher({ ...services, workflowStartsPerS: 1_000, ...publisherOptions })),
    async startWorkers(workflowBundle, deployment, taskQueues = options.taskQueues) {
      const real = createActivities(services);
      const activities = { ...real, ...options.activities?.({ testDatabase, real }) };
      const workers = await startTaskWorkers({
        connection,
        temporal: temporalSettings(temporal),
        activities,
        workflowBundle: workflowBundle ?? (await loadWorkflowBundle()),
        taskQueues,
        deployment: deployment ?? null,
      });
      return keep(workers);
    },
    closeLater: (close) => void running.push({ stop: close }),
    async close() {
      await Promise.all(running.map((part) => part.stop()));
      await Promise.all([wakes.close(), http.close(), published.close()]);
      await database.close();
      if (!options.testDatabase) await testDatabase.drop();
      await connection.close();
    },
  };
}
