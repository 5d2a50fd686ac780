import { randomBytes } from 'node:crypto';
import type { RequestListener, Server } from 'node:http';
import { createProcessor, type Processor } from '../../../clients/processor/processor.ts';
import { createApp, type AppOptions } from '../../../api/app.ts';
import { ENTITIES } from '../../../domain/entities.ts';
import { openDatabase, type Database } from '../../../platform/database/database.ts';
import { listen } from '../../../platform/http-server.ts';
import { createLogger, type Logger } from '../../../platform/log.ts';
import {
  createUsageRecorder,
  type UsageRecorder,
} from '../../../domain/usage/usage-recorder.command.ts';
import {
  createIntegrationRecorder,
  type IntegrationRecorder,
} from '../../../domain/seal/integration-counts.repository.ts';
import {
  createRequestRecorder,
  type RequestRecorder,
} from '../../../domain/request-log/request-recorder.command.ts';
import { newSecret } from '../../../domain/shared/ids.ts';
import { startSimulator, type Simulator } from '../../../packages/simulator/main.ts';
import { createBrowser, fetchPlain, type Browser } from '../pages/browser.ts';
import {
  createTestDatabase,
  DATABASE_TIMEOUT_MS,
  wakingAfterSteps,
  type TestDatabase,
} from '../engines/database.ts';
import { createSeed, type Seed } from '../catalog/seed.ts';

export type TestApi = {
  url: string;
  database: Database;
  test: TestDatabase;
  processor: Processor;
  usage: UsageRecorder;
  requests: RequestRecorder;
  integrations: IntegrationRecorder;
  simulator: Simulator;
  config: AppOptions['config'];
  seed: Seed;
  servers: readonly Server[];
  /** A request as a program makes it: no cookies, redirects are answers. */
  request(path: string, init?: RequestInit): Promise<Response>;
  browser(): Browser;
  close(): Promise<void>;
};

type Options = Partial<
  Pick<AppOptions, 'limits' | 'routes' | 'temporal' | 'logger' | 'processor'>
> & {
  config?: Partial<AppOptions['config']>;
  databaseUrl?: string;
  /** Where the lines of the log go; nowhere unless given. */
  log?: (line: string) => void;
  /** Passkeys need a name, not an address. */
  host?: 'localhost';
};

const HOSTS = ['127.0.0.1'];
const ANY_PORT = { hosts: HOSTS, port: 0 };

const NO_TEMPORAL = {
  address: '127.0.0.1:1',
  namespace: 'default',
  taskQueuePrefix: '',
  uiUrl: 'http://localhost:8233',
  tls: undefined,
  apiKey: undefined,
};

const PLAIN = {
  isProxyTrusted: false,
  isOperatorPasskeyRequired: false,
  verificationTime: 'two working days',
  supportEmail: 'support@gatehouse.example',
};

const openRecorders = (database: Database, logger: Logger) => ({
  usage: createUsageRecorder(database.pool, logger),
  requests: createRequestRecorder(database, logger),
  integrations: createIntegrationRecorder(database, logger),
});

const SILENT = { level: 'silent' } as const;

function openLog(write: Options['log']): Logger {
  const level = write ? ({ level: 'debug', output: { write } } as const) : SILENT;
  return createLogger({ name: 'api', format: 'json', ...level });
}

/** Each connection plans a statement once. */
const openSmallPool = (url: string, timeoutMs: number) =>
  openDatabase({ url, listenUrl: url, name: 'api', entities: ENTITIES, poolSize: 4, timeoutMs });

/** The real application over HTTP, on a database of its own, with the simulator as its processor. */
export async function startApi({
  config,
  databaseUrl,
  host,
  log,
  ...given
}: Options = {}): Promise<TestApi> {
  const test = await createTestDatabase();
  // The application needs to know its address, which is known only once it listens.
  let handler: RequestListener = (_, response) => response.destroy();
  const listener = await listen((request, response) => handler(request, response), ANY_PORT);
  const url = `http://${host ?? '127.0.0.1'}:${listener.port}`;
  const secrets = { secretKey: `sk_test_${newSecret()}`, webhookSecret: `whsec_${newSecret()}` };
  const simulator = await startSimulator({
    databaseUrl: test.ownUrl,
    port: 0,
    hosts: HOSTS,
    url: 'http://127.0.0.1:0',
    webhookUrl: `${url}/api/processor/events`,
    log: { format: 'json', level: 'silent' },
    ...secrets,
  });
  const settings: AppOptions['config'] = {
    baseUrl: url,
    secretKeys: [{ id: 'test', key: randomBytes(32) }],
    ...PLAIN,
    temporal: NO_TEMPORAL,
    processor: { kind: 'simulator', apiUrl: `http://127.0.0.1:${simulator.port}`, ...secrets },
    webhooks: { allowedNetworks: ['127.0.0.0/8'], isHttpAllowed: true },
    ...config,
  };
  // Where a test takes the database away, a late answer is meant.
  const timeoutMs = databaseUrl ? 2_000 : DATABASE_TIMEOUT_MS;
  const database = openSmallPool(databaseUrl ?? test.url, timeoutMs);
  const processor = given.processor ?? createProcessor(settings.processor);
  const logger = openLog(log);
  const recorders = openRecorders(database, logger);
  const made = { logger, shelvesKeptMs: 0, ...given, config: settings };
  handler = createApp({ ...made, database, processor, ...recorders });
  return {
    url,
    database,
    test: wakingAfterSteps(test, simulator.wake),
    processor,
    ...recorders,
    simulator,
    config: settings,
    seed: createSeed(database, settings.secretKeys),
    servers: listener.servers,
    request: (path, init) => fetchPlain(new URL(path, url), init),
    browser: () => createBrowser(url),
    async close() {
      await listener.close();
      await simulator.stop();
      await Promise.all(Object.values(recorders).map((recorder) => recorder.close()));
      await database.close();
      await test.drop();
    },
  };
}
