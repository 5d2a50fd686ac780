// `npm run test:chaos -- pool [<runs> [<first>]]`: a month of the creator pool goes from open to paid while the
// worker, PostgreSQL or Temporal dies in the middle of each step in turn. It ends as an undisturbed
// one does, byte for byte, and each team is paid once.
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Launch } from '../../../dev/process/launch.ts';
import { openClient } from '../../../worker/workers.ts';
import {
  copyTestDatabase,
  createTestDatabase,
  type TestDatabase,
} from '../../support/engines/database.ts';
import { approveUpdate } from '../../../workflows/contracts.ts';
import { approvalCodeOf } from '../../support/pool/pool-periods.ts';
import type { Process } from '../../support/engines/platform.ts';
import { startMortalEngines, type MortalEngines } from '../engines.ts';
import { createRandom } from '../random.ts';
import { untilDone } from '../until-done.ts';
import { findKept } from '../verdict.ts';
import { OPERATOR, PERIODS, workflowOf, writeFacts } from './facts.ts';
import { findContradictions, findDifferences, readOutcome, type Outcome } from './outcome.ts';
import { prepareStage, SIGNER, type Stage } from './stage.ts';
import { PLACES, setTrap, type Place } from './trap.ts';

const FAULTS = [
  'worker killed',
  'PostgreSQL killed',
  'Temporal killed',
  'worker restarted',
] as const;
const LONGEST_DOWN_MS = 2_500;
const RELEASE_MS = 200;
const PAID_MS = 240_000;
const ENDED_MS = 60_000;
const LOOK_MS = 250;

type Strike = { place: Place; error: (typeof FAULTS)[number]; downMs: number };

type Scene = {
  engines: MortalEngines;
  stage: Stage;
  client: Client;
  /** The facts, to which nobody is connected. */
  facts: TestDatabase;
};

type Runs = { runs: number; first: number };

export async function runPool(launched: Launch, { runs, first }: Runs): Promise<boolean> {
  const say = console.log;
  const engines = await startMortalEngines(launched);
  process.env['GATEHOUSE_TEST_DATABASE_URL'] = engines.databaseUrl;
  const { temporalAddress: address } = engines;
  const stage = await prepareStage(address);
  const { client, close } = openClient({ address, namespace: 'default' });
  launched.defer(close);
  const facts = await createTestDatabase();
  await keepFacts(stage, facts);
  const scene = { engines, stage, client, facts };
  const undisturbed = await runOnce(scene, null);
  say(`undisturbed: ${describe(undisturbed)}`);
  let wrong = undisturbed.wrong.length;
  for (let number = first; number < first + runs; number += 1) {
    const strike = strikeOf(number);
    const { place, error, downMs } = strike;
    const run = await runOnce(scene, strike);
    const found = [...run.wrong, ...findDifferences(run.outcome, undisturbed.outcome)];
    say(
      `${number}. ${place.name}, ${error} for ${downMs} ms: ${describe({ ...run, wrong: found })}`,
    );
    wrong += found.length;
  }
  say(wrong === 0 ? `${runs} runs, nothing is wrong` : `${runs} runs, ${wrong} wrong`);
  return wrong === 0;
}

/** The same number, the same strike: each place once for each fault. */
function strikeOf(number: number): Strike {
  const place = PLACES[(number - 1) % PLACES.length]!;
  const error = FAULTS[Math.floor((number - 1) / PLACES.length) % FAULTS.length]!;
  return { place, error, downMs: Math.round(createRandom(number).between(0, LONGEST_DOWN_MS)) };
}

async function keepFacts(stage: Stage, testDatabase: TestDatabase): Promise<void> {
  const simulator = await stage.openSimulator(testDatabase);
  await writeFacts({ testDatabase, processor: stage.processor });
  await simulator.stop();
}

type Run = { outcome: Outcome; wrong: string[]; tookMs: number };

function describe({ outcome, wrong, tookMs }: Run): string {
  const { files, payouts, transfers } = outcome;
  const left = `${files.length} files, ${payouts.length} payouts, ${transfers.length} transfers`;
  const verdict = wrong.length === 0 ? 'nothing is wrong' : `wrong:\n  ${wrong.join('\n  ')}`;
  return `${left} in ${(tookMs / 1_000).toFixed(1)} s; ${verdict}`;
}

/** From open to paid on a copy of the facts, with at most one strike. */
async function runOnce(scene: Scene, strike: Strike | null): Promise<Run> {
  const { engines, stage, client, facts } = scene;
  const database = await copyTestDatabase(facts);
  const simulator = await stage.openSimulator(database);
  const trap = strike && (await setTrap(database, strike.place));
  const worker = stage.createWorker(database);
  const began = Date.now();
  const over = new AbortController();
  const wrong: string[] = [];
  try {
    await worker.start();
    const approving = approveAll({ database, client, signal: over.signal });
    if (trap && strike) {
      await trap.caught();
      await make(strike, { engines, worker, release: trap.release });
    }
    wrong.push(...(await untilPaid(database)));
    over.abort();
    await approving;
    const tookMs = Date.now() - began;
    wrong.push(...(await untilEnded(client)));
    wrong.push(...(await findContradictions(database, PERIODS)), ...(await findKept(database)));
    const outcome = await readOutcome(database);
    if (wrong.length > 0) wrong.push(worker.output().split('\n').slice(-30).join('\n  '));
    return { outcome, wrong, tookMs };
  } finally {
    over.abort();
    await worker.kill('SIGKILL');
    await simulator.stop();
    await endAll(client);
    await database.drop();
  }
}

type Struck = { engines: MortalEngines; worker: Process; release(): Promise<void> };

async function make(
  { error, downMs }: Strike,
  { engines, worker, release }: Struck,
): Promise<void> {
  if (error === 'PostgreSQL killed') {
    await engines.killPostgres(downMs);
    return release();
  }
  if (error === 'Temporal killed') {
    const back = engines.killTemporal(Math.max(downMs, 2 * RELEASE_MS));
    await pause(RELEASE_MS);
    await release();
    return back;
  }
  const ended = worker.kill(error === 'worker killed' ? 'SIGKILL' : 'SIGTERM');
  await pause(RELEASE_MS);
  await release();
  await ended;
  await pause(downMs);
  await worker.start();
}

type Approving = {
  database: TestDatabase;
  client: Client;
  signal: AbortSignal;
};

/** An operator says it as often as it takes. */
async function approveAll({ database, client, signal }: Approving): Promise<void> {
  while (!signal.aborted) {
    const inReview = await statusesOf(database).catch(() => []);
    for (const { id, status } of inReview) {
      if (status !== 'in_review') continue;
      await Promise.race([approve({ database, client }, id).catch(() => null), pause(2_000)]);
    }
    await pause(LOOK_MS);
  }
}

/** By an Update with a code of the console. The workflow refuses it before it has seen the review. */
async function approve({ database, client }: Omit<Approving, 'signal'>, periodId: string) {
  const named = 'select id from person where handle = $1';
  const [operator] = await database.query<{ id: string }>(named, [OPERATOR]);
  const signed = { testDatabase: database, signer: SIGNER };
  const code = await approvalCodeOf(signed, { periodId, personId: operator!.id });
  return client.workflow.getHandle(workflowOf(periodId)).executeUpdate(approveUpdate, {
    args: [code],
  });
}

const statusesOf = ({ query }: TestDatabase) =>
  query<{ id: string; status: string; problem: string | null }>(
    `select id, status, problem from pool_period where id = any($1) order by id`,
    [PERIODS],
  );

async function untilPaid(database: TestDatabase): Promise<string[]> {
  const deadline = Date.now() + PAID_MS;
  for (;;) {
    const periods = await untilDone(() => statusesOf(database));
    const open = periods.filter(({ status }) => status !== 'paid');
    if (open.length === 0) return [];
    if (Date.now() > deadline) return open.map((period) => `not paid: ${JSON.stringify(period)}`);
    await pause(LOOK_MS);
  }
}

/** The workflows of periods and payouts have come to their end. */
async function untilEnded(client: Client): Promise<string[]> {
  const deadline = Date.now() + ENDED_MS;
  for (;;) {
    const running = await untilDone(() => listRunning(client));
    const ofMonth = running.filter((id) => !isOfToday(id));
    if (ofMonth.length === 0) return [];
    if (Date.now() > deadline) return ofMonth.map((id) => `the workflow ${id} still runs`);
    await pause(LOOK_MS);
  }
}

const isOfToday = (workflowId: string) =>
  workflowId.startsWith('pool:') && !PERIODS.map(workflowOf).includes(workflowId);

async function listRunning(client: Client): Promise<string[]> {
  const query = `WorkflowType in ('poolPeriod', 'poolPayout') and ExecutionStatus = 'Running'`;
  const ids: string[] = [];
  for await (const { workflowId } of client.workflow.list({ query })) ids.push(workflowId);
  return ids;
}

/** The next run begins with workflows of its own. */
async function endAll(client: Client): Promise<void> {
  for (const workflowId of await untilDone(() => listRunning(client))) {
    await client.workflow
      .getHandle(workflowId)
      .terminate()
      .catch(() => undefined);
  }
}
