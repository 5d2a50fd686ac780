// `npm run test:chaos [-- <seed>]`: parts of the platform die at random moments under streams of events and of sales,
// and so do their connections to PostgreSQL and Temporal: reset, slowed to 200 ms a chunk, silent in one direction.
// Afterwards every event has arrived, every attempt is recorded, no wait was shortened, nothing hangs;
// all money is an order or went back, and everybody was told once. No transaction stays open, no lock is kept.
// `-- pool` lets parts die in the middle of each step of the creator pool: see pool/runs.ts.
import { setTimeout as pause } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { launch, type Launch } from '../../dev/process/launch.ts';
import { startPlatform, type Platform } from '../support/engines/platform.ts';
import { startMortalEngines, type MortalEngines } from './engines.ts';
import { startHook } from './hook.ts';
import { listTroubles } from './network.ts';
import { runPool } from './pool/runs.ts';
import { createRandom, type Random } from './random.ts';
import { startSales } from './sales.ts';
import { streamEvents } from './stream.ts';
import { countOpen, examineDeliveries, findKept } from './verdict.ts';

const EVENTS = 2_000;
const PER_S = 50;
const FAIL_EVERY = 20;
const TIMEOUT_MS = 300_000;

type Fault = { name: string; strike(downMs: number): Promise<void> };

function listFaults(platform: Platform, engines: MortalEngines, random: Random): Fault[] {
  const { worker, api, databaseProxy, temporalProxy } = platform;
  const restart = (part: Platform['worker']) => async (downMs: number) => {
    await part.kill('SIGKILL');
    await pause(downMs);
    await part.start();
  };
  return [
    { name: 'worker killed', strike: restart(worker) },
    { name: 'API killed', strike: restart(api) },
    { name: 'Temporal killed', strike: engines.killTemporal },
    { name: 'PostgreSQL killed', strike: engines.killPostgres },
    { name: 'PostgreSQL frozen', strike: engines.freezePostgres },
    ...listTroubles('PostgreSQL', databaseProxy, random),
    ...listTroubles('Temporal', temporalProxy, random),
  ];
}

/** Until told to stop; each fault at least once. */
async function rage(
  faults: Fault[],
  { random, signal, say }: { random: Random; signal: AbortSignal; say(line: string): void },
): Promise<number> {
  let strikes = 0;
  for (; !signal.aborted || strikes < faults.length; strikes += 1) {
    await pause(random.between(500, 3_000));
    const error = faults[strikes] ?? random.pick(faults);
    const downMs = Math.round(random.between(0, 2_500));
    say(`  ${error.name}, for ${downMs} ms`);
    await error.strike(downMs);
  }
  return strikes;
}

async function run(launched: Launch, seed: number): Promise<boolean> {
  const say = console.log;
  say(`seed ${seed}`);
  const engines = await startMortalEngines(launched);
  process.env['GATEHOUSE_TEST_DATABASE_URL'] = engines.databaseUrl;
  process.env['GATEHOUSE_TEST_TEMPORAL_ADDRESS'] = engines.temporalAddress;
  const platform = await startPlatform();
  launched.defer(() => platform.stop());
  const hook = await startHook(FAIL_EVERY);
  const { processor } = platform;
  const sales = await startSales({ testDatabase: platform.database, processor });
  const calm = new AbortController();
  const random = createRandom(seed);
  const raging = rage(listFaults(platform, engines, random), {
    random,
    signal: calm.signal,
    say,
  });
  const { database, encryptor } = platform;
  const stream = { encryptor, count: EVENTS, perS: PER_S, url: hook.url };
  const productId = await streamEvents(database, stream);
  await sales.close();
  calm.abort();
  const strikes = await raging;
  say(`${EVENTS} events told, ${strikes} strikes; waiting for the retries`);
  const deadline = Date.now() + TIMEOUT_MS;
  while ((await countOpen(database, productId)) > 0 && Date.now() < deadline) await pause(1_000);
  while ((await sales.findContradictions()).length > 0 && Date.now() < deadline) await pause(1_000);
  const verdict = await examineDeliveries(database, { productId, hits: hook.hits });
  verdict.wrong.push(...(await sales.findContradictions()));
  say(`${sales.count()} sales, refunded and disputed in part`);
  await sales.stop();
  verdict.wrong.push(...(await findKept(database)));
  const running = await countRunning(engines.temporalAddress);
  if (running > 0) verdict.wrong.push(`${running} workflows of deliveries still run`);
  const { deliveries, interrupted, repeated, wrong } = verdict;
  say(`${deliveries} deliveries, ${interrupted} interrupted, ${repeated} came more than once`);
  say(wrong.length === 0 ? 'nothing is wrong' : `${wrong.length} wrong:\n${wrong.join('\n')}`);
  await hook.close();
  return wrong.length === 0;
}

async function countRunning(address: string): Promise<number> {
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  const query = `WorkflowType = 'webhookDelivery' and ExecutionStatus = 'Running'`;
  const ask = () => client.workflow.count(query).then(({ count }) => count);
  for (let tries = 0; tries < 30 && (await ask()) > 0; tries += 1) await pause(1_000);
  const count = await ask();
  await connection.close();
  return count;
}

const POOL_RUNS = 30;
const [first, ...others] = process.argv.slice(2);
process.exit(
  await launch(async (launched) => {
    const isRight =
      first === 'pool'
        ? await runPool(launched, {
            runs: Number(others[0] ?? POOL_RUNS),
            first: Number(others[1] ?? 1),
          })
        : await run(launched, Number(first ?? Date.now() % 1_000_000));
    launched.end(isRight ? 0 : 1);
  }),
);
