// One endpoint is down while purchases clear.
import { setTimeout as pause } from 'node:timers/promises';
import { clearDeliveries, makeDeliveries, makeEndpoints, notify } from '../data/deliveries.ts';
import { databaseTime } from '../recorded.ts';
import { openSales, sellSteadily } from '../sales.ts';
import type { Stage } from '../stage.ts';

/** Nothing listens there. */
export const DEAD = 'http://127.0.0.1:1';

const FAILING_PER_S = 500;
const SECONDS = 60;
const STEPS_PER_S = 5;
const PURCHASES_PER_S = 5;

type Storm = {
  /** Workflows of deliveries and cohorts that were started. */
  startedPerS: number;
  /** Clearing, p50: during the storm / before it. */
  slowdown: number;
};

let measured: Promise<Storm> | undefined;

/** Measured once for both figures. */
export function measureStorm(stage: Stage): Promise<Storm> {
  return (measured ??= run(stage));
}

async function run(stage: Stage): Promise<Storm> {
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
  await clearDeliveries(stage.pool);
  return { startedPerS: started / SECONDS, slowdown: disturbed / undisturbed };
}

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
