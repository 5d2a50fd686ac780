// `npm run test:rollout [-- <open runs>]`: an old build, a new one, and back, with open runs, by the
// steps of docs/running-in-production.md. Retries of webhooks are pinned to the build that began
// them, and the builds do not fit each other there; ends of access move with the current build.
import { launch, type Launch } from '../../dev/process/launch.ts';
import { loadWorkflowBundle } from '../../worker/bundle.ts';
import { startEngines } from '../support/engines/engines.ts';
import { openStage, type Stage } from '../support/engines/worker.ts';
import { eventually } from '../support/eventually.ts';
import { bundleChanged, type Change } from '../support/workflows/tampered.ts';
import { openRuns } from './rollout-runs.ts';
import { DEPLOYMENT, FAILING, openServer } from './rollout-server.ts';

const RUNS = 300;
const TIMEOUT_MS = 300_000;
const STEADY_MS = 15_000;
/** The publisher holds messages of this priority back to 25 a second. */
const nudgeEveryMs = (runs: number) => Math.max(15_000, runs * 60);
/** More than once only where a run fails again after its reset. */
const MOST_RESETS = 3;

const PATCH = 'reads twice';

/** What a team would ship: a step more for new deliveries, and one behind `patched` for access. */
const NEW_BUILD: Change[] = [
  {
    file: 'webhooks/webhook-delivery.ts',
    change: ['factsOf(received)) ??', 'undefined) ??'],
  },
  {
    file: 'entitlements/entitlement-lifecycle.ts',
    change: [
      "from '@temporalio/workflow';",
      "from '@temporalio/workflow';\nimport { patched } from '@temporalio/workflow';",
    ],
  },
  {
    file: 'entitlements/entitlement-lifecycle.ts',
    change: [
      'signals.drain();',
      `signals.drain();\n    if (patched('${PATCH}')) await records.settleEntitlement(input);`,
    ],
  },
];

const say = console.log;

const isOpen = (workflowType: string) =>
  `WorkflowType = "${workflowType}" AND ExecutionStatus = "Running"`;
/** A run that only ended its step on the new build has no mark of it, and fits the old build. */
const IS_PATCHED = `TemporalChangeVersion = "${PATCH}"`;
const isOn = (buildId: string) => `TemporalWorkerDeploymentVersion = "${DEPLOYMENT}:${buildId}"`;

async function run(launched: Launch, runs: number): Promise<string[]> {
  const engines = await startEngines(launched);
  process.env['GATEHOUSE_TEST_DATABASE_URL'] = engines.databaseUrl;
  process.env['GATEHOUSE_TEST_TEMPORAL_ADDRESS'] = engines.temporalAddress;
  const stage = await openStage({ taskQueues: ['access', 'deliveries'] });
  launched.defer(() => stage.close());
  stage.startDispatcher();
  stage.startPublisher();
  const server = openServer(stage.client, engines.temporalAddress, launched.signal);
  const open = await openRuns(stage);
  const wrong: string[] = [];
  const expect = (count: number, wanted: number, what: string) => {
    say(`  ${what}: ${count}`);
    if (count !== wanted) wrong.push(`${what}: ${count} instead of ${wanted}`);
  };
  /** A task that was on its way when the version changed goes to the build before: once more then. */
  const nudgeUntil = async (query: string, wanted: number) => {
    let nudgedAt = 0;
    const count = async () => {
      if (Date.now() - nudgedAt > nudgeEveryMs(runs)) {
        await open.nudge();
        nudgedAt = Date.now();
      }
      return server.count(query);
    };
    await eventually(count, (found) => found === wanted, TIMEOUT_MS);
  };
  const half = Math.ceil(runs / 2);
  const few = Math.ceil(runs / 10);

  const trial = { stage, server, open, half, few, expect, nudgeUntil };
  await beginOld(trial);
  await goForward(trial);
  wrong.push(...(await goBack(trial)));
  await endAll(trial);
  const faults = await open.findFaults();
  expect(faults.length, 0, 'lost or sent twice');
  return [...wrong, ...faults];
}

type Trial = {
  stage: Stage;
  server: ReturnType<typeof openServer>;
  open: Awaited<ReturnType<typeof openRuns>>;
  /** So many runs of each type begin on the old build, and so few deliveries on the new one. */
  half: number;
  few: number;
  expect: (count: number, wanted: number, what: string) => void;
  nudgeUntil: (query: string, wanted: number) => Promise<void>;
};

async function beginOld({ stage, server, open, half }: Trial): Promise<void> {
  const { until } = server;
  say(`the old build, and ${2 * half} open runs`);
  await stage.startWorkers(await loadWorkflowBundle(), { name: DEPLOYMENT, buildId: 'old' });
  await server.setCurrent('old');
  await Promise.all([open.beginDeliveries(half), open.beginAccess(half)]);
  await until(`${isOpen('webhookDelivery')} AND ${isOn('old')}`, (count) => count === half);
  await until(`${isOpen('entitlementLifecycle')} AND ${isOn('old')}`, (count) => count === half);
}

async function goForward({ stage, server, open, half, few, expect, nudgeUntil }: Trial) {
  say('the new build beside it: for 10 % of new runs, then for all');
  await stage.startWorkers(await bundleChanged(NEW_BUILD), { name: DEPLOYMENT, buildId: 'new' });
  await server.ramp('new', 10);
  await server.setCurrent('new');
  await nudgeUntil(`${isOpen('entitlementLifecycle')} AND ${IS_PATCHED}`, half);
  await open.beginDeliveries(few);
  await server.until(`${isOpen('webhookDelivery')} AND ${isOn('new')}`, (count) => count === few);
  await server.untilSteady(FAILING, STEADY_MS);
  expect(await server.countMisfits('webhookDelivery'), 0, 'misfits of pinned runs, forward');
  expect(await server.countMisfits('entitlementLifecycle'), 0, 'misfits of access, forward');
}

/** Answers what was refused. */
async function goBack({ server, half, expect, nudgeUntil }: Trial): Promise<string[]> {
  const { until } = server;
  say('back to the old build');
  await server.setCurrent('old');
  await nudgeUntil(FAILING, half);
  const stranded = await server.untilSteady(FAILING, STEADY_MS);
  say(`  runs that fail: ${stranded}`);
  expect(await server.countMisfits('webhookDelivery'), 0, 'misfits of pinned runs, back');
  const wrong: string[] = [];
  let resets = 0;
  for (let left = stranded; left > 0 && resets < MOST_RESETS; resets += 1) {
    const refusal = await server.reset();
    if (refusal !== '') wrong.push(refusal);
    await until(FAILING, (count) => count < left);
    left = await server.untilSteady(FAILING, STEADY_MS);
  }
  expect(await server.count(FAILING), 0, `runs that fail after ${resets} reset by query`);
  await until(`${isOpen('entitlementLifecycle')} AND ${isOn('old')}`, (count) => count === half);
  return wrong;
}

async function endAll({ server, open, half, expect }: Trial): Promise<void> {
  say('each retry is due, each access ends');
  await open.endAccess();
  await eventually(open.hasten, (count) => count === 0, TIMEOUT_MS);
  await eventually(open.countAnnounced, (count) => count >= half, TIMEOUT_MS);
  await server.until('ExecutionStatus = "Running"', (count) => count === 0);
  expect(await server.countMisfits('webhookDelivery'), 0, 'misfits of pinned runs, at the end');
}

const runs = Number(process.argv[2] ?? RUNS);
process.exit(
  await launch(async (launched) => {
    const startedAt = Date.now();
    const wrong = await run(launched, runs);
    console.log(`${Math.round((Date.now() - startedAt) / 1_000)} s`);
    console.log(
      wrong.length === 0 ? 'nothing is wrong' : `${wrong.length} wrong:\n${wrong.join('\n')}`,
    );
    launched.end(wrong.length === 0 ? 0 : 1);
  }),
);
