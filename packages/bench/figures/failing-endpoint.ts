// One endpoint is down while purchases clear.
import { setTimeout as pause } from 'node:timers/promises';
import { DEAD, makeDeliveries, makeEndpoints, notify } from '../data/deliveries.ts';
import type { Measurement } from '../figure.ts';
import { databaseTime } from '../recorded.ts';
import { openSales, sellSteadily } from '../sales.ts';
import type { Stage } from '../stage.ts';

const FAILING_PER_S = 500;
const SECONDS = 60;
const STEPS_PER_S = 5;
const PURCHASES_PER_S = 5;

export const failingEndpoint: Measurement = {
  figures: [
    {
      id: 'G5A',
      what: 'one endpoint down, 500 first attempts a second fail for 60 s: delivery workflows started/s',
      bounds: { must: 10, stretch: 5, better: 'lower' },
    },
    {
      id: 'G5B',
      what: 'the same: clearing p50 / undisturbed',
      bounds: { must: 2, stretch: 1.2, better: 'lower' },
    },
  ],
  isByNameOnly: true,
  async measure(stage) {
    const { next, close } = await openSales(stage);
    const sales = { next, count: SECONDS * PURCHASES_PER_S, perS: PURCHASES_PER_S };
    await sellSteadily(stage, { ...sales, count: 100 }); // warms up
    const undisturbed = await sellSteadily(stage, sales);
    const [endpointId] = await makeEndpoints(stage, { count: 1, url: DEAD });
    const since = await databaseTime(stage);
    const [disturbed] = await Promise.all([
      sellSteadily(stage, sales),
      failSteadily(stage, endpointId!),
    ]);
    const { failed, started } = await count(stage, since);
    stage.say(`  ${(failed / SECONDS).toFixed(0)} first attempts failed a second`);
    stage.say(`  clearing: ${disturbed.toFixed(0)} ms, alone ${undisturbed.toFixed(0)} ms`);
    await close();
    return [{ G5A: started / SECONDS, G5B: disturbed / undisturbed }];
  },
};

async function failSteadily({ pool }: Stage, endpointId: string): Promise<void> {
  const failing = Array.from({ length: FAILING_PER_S / STEPS_PER_S }, () => endpointId);
  const startedAt = performance.now();
  for (let step = 0; step < SECONDS * STEPS_PER_S; step += 1) {
    await makeDeliveries(pool, failing);
    await notify(pool, 'gatehouse_delivery');
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
