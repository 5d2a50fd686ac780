import { execFile, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import test from 'ava';
import { loadWorkflowBundle } from '../../worker/bundle.ts';
import { openSdkMetrics } from '../../worker/sdk-metrics.ts';
import { COMPILE_CACHE } from '../../scripts/compile-cache.ts';
import { TASK_QUEUES } from '../../workflows/contracts.ts';
import { createTestDatabase, type TestDatabase } from '../support/engines/database.ts';
import { eventually } from '../support/eventually.ts';
import { ROOT } from '../support/repository/imports.ts';
import { startProxy, type Proxy } from '../support/http/proxy.ts';

// The thread of each task queue loads the workflows for half a second.
const OF_ONE_QUEUE = { WORKER_ROLES: 'access' };

let database: TestDatabase;
let proxy: Proxy;

test.before(async () => {
  database = await createTestDatabase();
  const [host, port] = process.env['GATEHOUSE_TEST_TEMPORAL_ADDRESS']!.split(':');
  proxy = await startProxy({ host: host!, port: Number(port) });
});
test.after.always(async () => {
  await proxy?.close();
  await database?.drop();
});

function start(settings: Record<string, string> = {}): ChildProcess {
  return fork('worker/main.ts', {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      ...COMPILE_CACHE,
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: `127.0.0.1:${proxy.port}`,
      TASK_QUEUE_PREFIX: `test-${randomBytes(6).toString('hex')}-`,
      BASE_URL: 'http://localhost:1',
      LISTEN_HOSTS: '127.0.0.1',
      METRICS_PORT: '0',
      SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      SMTP_URL: 'smtp://127.0.0.1:9',
      ALLOW_SIMULATOR: 'true',
      SIMULATOR_URL: 'http://127.0.0.1:9',
      SIMULATOR_SECRET_KEY: 'sk_test',
      SIMULATOR_WEBHOOK_SECRET: 'whsec_test',
      ...settings,
    },
  });
}

/** The metrics port stands in the log line of the start. */
async function untilLogged(worker: ChildProcess, text: string): Promise<string> {
  let seen = '';
  for await (const chunk of worker.stdout!) {
    seen += String(chunk);
    if (seen.includes(text)) return seen;
  }
  throw new Error(`the worker ended before it said "${text}":\n${seen}`);
}

test.serial('it refuses to start without its settings and names each of them', async (t) => {
  const run = promisify(execFile)(process.execPath, ['worker/main.ts'], {
    cwd: ROOT,
    env: { ...COMPILE_CACHE, TEMPORAL_ADDRESS: 'nowhere' },
  });
  const error = (await t.throwsAsync(run)) as Error & { code: number; stderr: string };
  t.is(error.code, 1);
  for (const name of ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'SECRET_KEYS', 'SMTP_URL']) {
    t.regex(error.stderr, new RegExp(`- ${name}: `));
  }
});

/** The number of pollers of each task queue. */
async function pollersOf(prefix: string): Promise<Record<string, number>> {
  const connection = await Connection.connect({
    address: process.env['GATEHOUSE_TEST_TEMPORAL_ADDRESS']!,
  });
  const count = async (queue: string) => {
    const { pollers } = await connection.workflowService.describeTaskQueue({
      namespace: 'default',
      taskQueue: { name: prefix + queue },
      taskQueueType: proto.temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
    });
    return [queue, pollers.length];
  };
  const counted = await Promise.all(TASK_QUEUES.map(count));
  await connection.close();
  return Object.fromEntries(counted);
}

/** Asked by one test after another. */
let ofOneRole: ChildProcess;
let scraped: string;

test.serial('a worker of one role polls its task queue alone', async (t) => {
  const prefix = `test-${randomBytes(6).toString('hex')}-`;
  scraped = (await openSdkMetrics()).bindAddress; // a free port
  const METRICS_PORT = scraped.split(':')[1]!;
  ofOneRole = start({ ...OF_ONE_QUEUE, TASK_QUEUE_PREFIX: prefix, METRICS_PORT });
  await once(ofOneRole, 'message');
  await eventually(
    () => pollersOf(prefix),
    ({ access }) => access! > 0,
  );
  const { access, ...others } = await pollersOf(prefix);
  t.is(access, 1);
  t.deepEqual(others, { money: 0, deliveries: 0, mail: 0, upkeep: 0 });
});

test.serial('it stops cleanly while it is scraped', async (t) => {
  const exited = once(ofOneRole, 'exit');
  ofOneRole.kill('SIGTERM');
  while (ofOneRole.exitCode === null && ofOneRole.signalCode === null) {
    await fetch(`http://${scraped}/metrics`).catch(() => undefined);
  }
  t.deepEqual(await exited, [0, null]);
});

test.serial('a worker that dispatches polls no task queue, and needs no Temporal', async (t) => {
  const prefix = `test-${randomBytes(6).toString('hex')}-`;
  proxy.cut();
  const worker = start({ TASK_QUEUE_PREFIX: prefix, WORKER_ROLES: 'dispatch' });
  t.deepEqual(await once(worker, 'message'), ['ready', undefined]);
  proxy.restore();
  t.deepEqual(new Set(Object.values(await pollersOf(prefix))), new Set([0]));
  worker.kill('SIGTERM');
  t.deepEqual(await once(worker, 'exit'), [0, null]);
});

/** Asked by one test after another. */
let whole: ChildProcess;
const deploymentName = `test-${randomBytes(6).toString('hex')}`;
let metricsAddress: string;

test.serial('it says when it is ready', async (t) => {
  ({ bindAddress: metricsAddress } = await openSdkMetrics()); // a free port
  const METRICS_PORT = metricsAddress.split(':')[1]!;
  whole = start({ METRICS_PORT, TEMPORAL_DEPLOYMENT_NAME: deploymentName });
  t.deepEqual(await once(whole, 'message'), ['ready', undefined]);
});

test.serial("one scrape shows our metrics and those of Temporal's SDK", async (t) => {
  const scrape = async () => (await fetch(`http://${metricsAddress}/metrics`)).text();
  const text = await eventually(scrape, (seen) => seen.includes('temporal_num_pollers'));
  for (const name of [
    'gatehouse_outbox_waiting',
    'temporal_worker_task_slots_available',
    'temporal_request_latency_bucket',
  ]) {
    t.regex(text, new RegExp(`^${name}[{ ]`, 'm'));
  }
  const typed = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  t.is(new Set(typed).size, typed.length, 'no metric comes twice');
});

test.serial('with the name of a deployment it has a version, named by its workflows', async (t) => {
  const { buildId } = await loadWorkflowBundle();
  const connection = await Connection.connect({
    address: process.env['GATEHOUSE_TEST_TEMPORAL_ADDRESS']!,
  });
  t.teardown(() => connection.close());
  const versions = async () => {
    const asked = { namespace: 'default', deploymentName };
    const { workerDeploymentInfo } =
      await connection.workflowService.describeWorkerDeployment(asked);
    return workerDeploymentInfo?.versionSummaries?.map(
      ({ deploymentVersion }) => deploymentVersion?.buildId,
    );
  };
  // The deployment is there once its workers have polled.
  const seen = await eventually(
    () => versions().catch(() => []),
    (found) => found !== undefined && found.length > 0,
  );
  t.deepEqual(seen, [buildId]);
});

test.serial('it stops cleanly on SIGTERM', async (t) => {
  whole.kill('SIGTERM');
  t.deepEqual(await once(whole, 'exit'), [0, null]);
});

test.serial('it stops when its parent lets go of the channel', async (t) => {
  const worker = start(OF_ONE_QUEUE);
  await once(worker, 'message');
  worker.disconnect();
  t.deepEqual(await once(worker, 'exit'), [0, null]);
});

test.serial('it waits for a Temporal that comes later', async (t) => {
  proxy.cut();
  const worker = start(OF_ONE_QUEUE);
  await untilLogged(worker, 'waiting for Temporal');
  proxy.restore();
  t.deepEqual(await once(worker, 'message'), ['ready', undefined]);
  worker.kill('SIGINT');
  t.deepEqual(await once(worker, 'exit'), [0, null]);
});

let waiting: ChildProcess;

test.serial('its start makes the months and days that are missing, without Temporal', async (t) => {
  const parts = async () => {
    const [row] = await database.query<{ parts: number }>(
      `select count(*)::int as parts from pg_inherits
       where inhparent in ('click'::regclass, 'api_request'::regclass)`,
    );
    return row!.parts;
  };
  const all = await parts();
  for (const table of ['click', 'api_request']) {
    const [last] = await database.query<{ part: string }>(
      `select max(inhrelid::regclass::text) as part from pg_inherits where inhparent = $1::regclass`,
      [table],
    );
    await database.query(`drop table ${last!.part}`);
  }
  t.is(await parts(), all - 2);
  proxy.cut();
  waiting = start();
  t.is(await eventually(parts, (count) => count === all), all);
});

test.serial('told to stop while it still waits for Temporal, it goes', async (t) => {
  await untilLogged(waiting, 'waiting for Temporal');
  waiting.kill('SIGTERM');
  t.deepEqual(await once(waiting, 'exit'), [0, null]);
  proxy.restore();
});
