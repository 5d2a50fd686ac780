import { fork, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DemoData } from '../../../dev/demo/load.ts';
import { loadDemoData } from '../../../dev/demo/load.ts';
import { createProcessor, type Processor } from '../../../clients/processor/processor.ts';
import type { WorkerRole } from '../../../platform/config.ts';
import { createEncryptor, type Encryptor } from '../../../domain/shared/secrets.ts';
import { COMPILE_CACHE } from '../../../scripts/compile-cache.ts';
import { resolvePorts } from '../../../dev/ports.ts';
import { startSimulator } from '../../../packages/simulator/main.ts';
import { createTestDatabase, wakingAfterSteps, type TestDatabase } from './database.ts';
import { ROOT } from '../repository/imports.ts';
import { startProxy, type Proxy } from '../http/proxy.ts';

export type Process = {
  kill(signal: NodeJS.Signals): Promise<void>;
  /** These settings come before those of the platform. */
  start(settings?: Record<string, string>): Promise<void>;
  output(): string;
};

export type Platform = {
  baseUrl: string;
  demo: DemoData;
  processor: Processor;
  database: TestDatabase;
  encryptor: Encryptor;
  api: Process;
  worker: Process;
  /** Stand between the platform and its servers, so that a test can take those away. */
  databaseProxy: Proxy;
  temporalProxy: Proxy;
  stop(): Promise<void>;
};

const HOSTS = ['127.0.0.1', '::1'];

const SIMULATOR = { hosts: HOSTS, log: { format: 'json', level: 'silent' } } as const;

const LOCAL_ENVIRONMENT = {
  LISTEN_HOSTS: HOSTS.join(','),
  METRICS_HOST: HOSTS.join(','),
  METRICS_PORT: '0',
  SMTP_URL: 'smtp://127.0.0.1:9',
  ALLOW_SIMULATOR: 'true',
  ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
  ALLOW_HTTP_ENDPOINTS: 'true',
  LOG_LEVEL: 'info',
};

type Options = {
  /** All, unless a test needs fewer: each task queue costs a start of the worker a fifth of a second. */
  workerRoles?: readonly WorkerRole[];
};

/** API and worker as real processes, with a database, a simulator and demo data of their own. */
export async function startPlatform({ workerRoles }: Options = {}): Promise<Platform> {
  const temporalAddress = process.env['GATEHOUSE_TEST_TEMPORAL_ADDRESS'];
  if (!temporalAddress) throw new Error('Run the tests with `npm test`: it starts Temporal.');
  const database = await createTestDatabase();
  const proxies = await startProxies(database.url, temporalAddress);
  const { databaseUrl, databaseProxy, temporalProxy } = proxies;
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-platform-'));
  const ports = await resolvePorts({ api: 0, simulator: 0 });
  const baseUrl = `http://localhost:${ports.api}`;
  const simulatorUrl = `http://localhost:${ports.simulator}`;
  const secrets = { secretKey: 'sk_test_platform', webhookSecret: 'whsec_platform' };
  const atSimulator = { kind: 'simulator', apiUrl: simulatorUrl, ...secrets } as const;
  const simulator = await startSimulator({
    ...SIMULATOR,
    ...secrets,
    databaseUrl: database.ownUrl,
    port: ports.simulator,
    url: simulatorUrl,
    webhookUrl: `${baseUrl}/api/processor/events`,
  });
  const key = randomBytes(32);
  const environment = {
    ...describeEnvironment({ baseUrl, simulatorUrl, secrets, key, port: ports.api }),
    DATABASE_URL: databaseUrl.href,
    TEMPORAL_ADDRESS: `127.0.0.1:${temporalProxy.port}`,
    ...(workerRoles && { WORKER_ROLES: workerRoles.join(',') }),
  };
  const secretKeys = [{ id: 'k1', key }];
  const demo = await loadDemoData({
    databaseUrl: database.ownUrl,
    dataDir,
    secretKeys,
    baseUrl,
    temporalUiUrl: '',
    temporalAddress,
    mailboxUrl: 'http://localhost:8025',
    processor: atSimulator,
  });
  const api = createProcess('api/main.ts', environment);
  const worker = createProcess('worker/main.ts', environment);
  await Promise.all([api.start(), worker.start()]);
  return {
    baseUrl,
    demo,
    processor: createProcessor(atSimulator),
    database: wakingAfterSteps(database, simulator.wake),
    encryptor: createEncryptor(secretKeys),
    api,
    worker,
    databaseProxy,
    temporalProxy,
    async stop() {
      await Promise.all([api.kill('SIGTERM'), worker.kill('SIGTERM')]);
      await simulator.stop();
      await Promise.all([databaseProxy.close(), temporalProxy.close()]);
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

type Addresses = {
  baseUrl: string;
  simulatorUrl: string;
  secrets: { secretKey: string; webhookSecret: string };
  key: Buffer;
  port: number;
};

function describeEnvironment({ baseUrl, simulatorUrl, secrets, key, port }: Addresses) {
  return {
    TASK_QUEUE_PREFIX: `test-${randomBytes(4).toString('hex')}-`,
    BASE_URL: baseUrl,
    PORT: String(port),
    SECRET_KEYS: `k1:${key.toString('base64')}`,
    SIMULATOR_URL: simulatorUrl,
    SIMULATOR_SECRET_KEY: secrets.secretKey,
    SIMULATOR_WEBHOOK_SECRET: secrets.webhookSecret,
    ...LOCAL_ENVIRONMENT,
  };
}

async function startProxies(url: string, temporalAddress: string) {
  const databaseUrl = new URL(url);
  const databaseProxy = await startProxy({ host: '127.0.0.1', port: Number(databaseUrl.port) });
  databaseUrl.port = String(databaseProxy.port);
  const temporalPort = Number(temporalAddress.split(':')[1]);
  const temporalProxy = await startProxy({ host: '127.0.0.1', port: temporalPort });
  return { databaseUrl, databaseProxy, temporalProxy };
}

/** A part of the platform as a process that may be killed and started again. */
export function createProcess(main: string, environment: Record<string, string>): Process {
  let child: ChildProcess | undefined;
  let output = '';
  return {
    output: () => output,
    async start(settings = {}) {
      child = fork(main, {
        cwd: ROOT,
        env: { PATH: process.env['PATH'], ...COMPILE_CACHE, ...environment, ...settings },
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      });
      for (const stream of [child.stdout, child.stderr]) {
        stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
      }
      const ended = once(child, 'exit').then(([code, signal]) => {
        throw new Error(`${main} ended (${code ?? signal}) while starting:\n${output}`);
      });
      await Promise.race([once(child, 'message'), ended]);
      ended.catch(() => undefined);
    },
    async kill(signal) {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    },
  };
}
