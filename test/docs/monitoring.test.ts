import { fork, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { COMPILE_CACHE } from '../../scripts/compile-cache.ts';
import { openSdkMetrics } from '../../worker/sdk-metrics.ts';
import { createTestDatabase } from '../support/engines/database.ts';
import { connectTemporal } from '../support/engines/temporal.ts';
import { eventually } from '../support/eventually.ts';
import { ROOT } from '../support/repository/imports.ts';
import {
  MONITORING,
  readNames,
  readPanelExpressions,
  readRules,
} from '../support/repository/monitoring.ts';

const METRICS = readFileSync(join(ROOT, 'worker', 'metrics.ts'), 'utf8');
const EXPRESSIONS = [...readPanelExpressions(), ...readRules().map(({ expr }) => expr)];

/** What a worker shows once a workflow task and an activity of it have failed. */
async function scrapeWorker(t: { teardown(end: () => Promise<unknown>): void }) {
  const database = await createTestDatabase();
  const { client, connection, prefix, address } = await connectTemporal();
  const metricsPort = (await openSdkMetrics()).bindAddress.split(':')[1]!; // a free port
  const worker = fork('worker/main.ts', {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {
      ...COMPILE_CACHE,
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: address,
      TASK_QUEUE_PREFIX: prefix,
      WORKER_ROLES: 'money',
      BASE_URL: 'http://localhost:1',
      METRICS_PORT: metricsPort,
      SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      SMTP_URL: 'smtp://127.0.0.1:9',
      ALLOW_SIMULATOR: 'true',
      SIMULATOR_URL: 'http://127.0.0.1:9',
      SIMULATOR_SECRET_KEY: 'sk_test',
      SIMULATOR_WEBHOOK_SECRET: 'whsec_test',
      LOG_LEVEL: 'silent',
    },
  });
  t.teardown(async () => {
    worker.kill('SIGKILL');
    await Promise.all([once(worker, 'exit'), connection.close()]);
    await database.drop();
  });
  await once(worker, 'message');
  const start = (type: string, input: object) =>
    client.workflow.start(type, {
      taskQueue: `${prefix}money`,
      workflowId: `${prefix}${type}`,
      args: [input],
    });
  await start('ofAnotherBuild', {});
  await start('purchaseClearing', { purchaseId: 'pay_none' });
  const scrape = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  return eventually(
    scrape,
    (text) =>
      text.includes('temporal_workflow_task_execution_failed_total{') &&
      text.includes('temporal_activity_execution_failed_total{'),
  );
}

test('every metric that dashboard and alert rules name is in /metrics, with its labels', async (t) => {
  const text = await scrapeWorker(t);
  const names = EXPRESSIONS.map(readNames);
  const metrics = new Set(names.flatMap((each) => each.metrics));
  t.true(metrics.size > 15);
  for (const metric of metrics) {
    const declared = metric.replace(/_(bucket|count|sum)$/, '');
    t.regex(text, new RegExp(`^# TYPE (${metric}|${declared}) `, 'm'));
  }
  for (const label of new Set(names.flatMap((each) => each.labels))) {
    // No delivery was attempted, so its outcome stands in the source alone.
    t.true(text.includes(`${label}="`) || METRICS.includes(`'${label}'`), label);
  }
});

test('every kind of metric of the platform is on the dashboard', (t) => {
  const shown = new Set(readPanelExpressions().flatMap((each) => readNames(each).metrics));
  for (const [, name] of METRICS.matchAll(/'(gatehouse_\w+)'/g)) t.true(shown.has(name!), name);
});

test('every alert rule leads to a page and a section of it', (t) => {
  for (const { alert, annotations } of readRules()) {
    const [, page = '', section = ''] = /^(\S+), "(.+)"$/.exec(annotations.runbook) ?? [];
    t.true(existsSync(join(ROOT, page)), alert);
    t.true(readFileSync(join(ROOT, page), 'utf8').includes(`\n## ${section}\n`), alert);
  }
});

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

(hasPromtool ? test : test.skip)(
  'promtool accepts the rules, and they fire as their tests say',
  (t) => {
    for (const words of [
      ['check', 'rules', 'alerts.yml'],
      ['test', 'rules', 'alerts.test.yml'],
    ]) {
      const { status, stdout, stderr } = spawnSync('promtool', words, { cwd: MONITORING });
      t.is(status, 0, `${stdout}${stderr}`);
    }
  },
);
