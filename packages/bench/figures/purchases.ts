// Purchases on their own, and while webhook endpoints fail.
import { setTimeout as pause } from 'node:timers/promises';
import { DEAD, makeDeliveries, makeEndpoints, notify } from '../data/deliveries.ts';
import type { Measurement } from '../figure.ts';
import { inRounds } from '../measure/rounds.ts';
import { databaseTime } from '../recorded.ts';
import { buyMany, openSales, sellSteadily } from '../sales.ts';
import type { Stage } from '../stage.ts';
import { figures } from './table.ts';

const AT_ONCE = 200;
const STEADY = { count: 200, perS: 20 };

export const purchases: Measurement = {
  figures: figures('S3', 'S4'),
  measure: (stage) =>
    inRounds(stage, async () => {
      const { next, close } = await openSales(stage);
      await sellQuickly(stage, next); // warms up
      const S3 = await sellQuickly(stage, next);
      const S4 = await sellSteadily(stage, { next, ...STEADY });
      await close();
      stage.say(`    ${S3.toFixed(1)} purchases/s, p50 ${S4.toFixed(0)} ms at ${STEADY.perS}/s`);
      return { S3, S4 };
    }),
};

/** Sells as quickly as it goes, until all have cleared. Returns purchases per second. */
async function sellQuickly(stage: Stage, next: () => Promise<string>): Promise<number> {
  const startedAt = performance.now();
  await buyMany(stage, { next, count: AT_ONCE });
  return AT_ONCE / ((performance.now() - startedAt) / 1_000);
}

const FAILING = 2_000;
const BESIDE = { count: 100, perS: 5 };

export const purchasesBesideFailures: Measurement = {
  figures: figures('L1'),
  isByNameOnly: true,
  measure: (stage) => inRounds(stage, async () => ({ L1: await compareClearing(stage) })),
};

async function compareClearing(stage: Stage): Promise<number> {
  const { next, close } = await openSales(stage);
  await sellSteadily(stage, { next, ...BESIDE }); // warms up
  const undisturbed = await sellSteadily(stage, { next, ...BESIDE });
  await failAtOnce(stage, await makeDeadEndpoint(stage), FAILING);
  const disturbed = await sellSteadily(stage, { next, ...BESIDE });
  await close();
  stage.say(`    ${disturbed.toFixed(0)} ms, alone ${undisturbed.toFixed(0)} ms`);
  return disturbed / undisturbed;
}

async function makeDeadEndpoint(stage: Stage): Promise<string> {
  const [endpointId] = await makeEndpoints(stage, { count: 1, url: DEAD });
  return endpointId!;
}

async function failAtOnce({ pool }: Stage, endpointId: string, count: number): Promise<void> {
  await makeDeliveries(
    pool,
    Array.from({ length: count }, () => endpointId),
  );
  await notify(pool, 'gatehouse_delivery');
}

const FAILING_PER_S = 500;
const SECONDS = 60;
const STEPS_PER_S = 5;
const PURCHASES_PER_S = 5;

export const failingEndpoint: Measurement = {
  figures: figures('G5A', 'G5B'),
  isByNameOnly: true,
  async measure(stage) {
    const { next, close } = await openSales(stage);
    const sales = { next, count: SECONDS * PURCHASES_PER_S, perS: PURCHASES_PER_S };
    await sellSteadily(stage, { ...sales, count: 100 }); // warms up
    const undisturbed = await sellSteadily(stage, sales);
    const endpointId = await makeDeadEndpoint(stage);
    const since = await databaseTime(stage);
    const [disturbed] = await Promise.all([
      sellSteadily(stage, sales),
      failSteadily(stage, endpointId),
    ]);
    const { failed, started } = await count(stage, since);
    stage.say(`  ${(failed / SECONDS).toFixed(0)} first attempts failed a second`);
    stage.say(`  clearing: ${disturbed.toFixed(0)} ms, alone ${undisturbed.toFixed(0)} ms`);
    await close();
    return [{ G5A: started / SECONDS, G5B: disturbed / undisturbed }];
  },
};

async function failSteadily(stage: Stage, endpointId: string): Promise<void> {
  const startedAt = performance.now();
  for (let step = 0; step < SECONDS * STEPS_PER_S; step += 1) {
    await failAtOnce(stage, endpointId, FAILING_PER_S / STEPS_PER_S);
    const waitMs = startedAt + ((step + 1) * 1_000) / STEPS_PER_S - performance.now();
    if (waitMs > 0) await pause(waitMs);
  }
}

/** First attempts that failed meanwhile, and workflows of deliveries and cohorts that were started. */
async function count({ pool }: Stage, since: Date) {
  const { rows } = await pool.query<{ failed: number; started: number }>(
    `select (select count(*)::int from attempt
         where step = 0 and started_at between $1 and $1::timestamptz + interval '${SECONDS} s') as failed,
       (select count(distinct workflow_id)::int from outbox
         where workflow_type in ('webhookDelivery', 'deliveryCohort')
           and sent_at between $1 and $1::timestamptz + interval '${SECONDS} s') as started`,
    [since],
  );
  return rows[0]!;
}
