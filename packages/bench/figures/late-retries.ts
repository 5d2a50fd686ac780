import * as data from '../data/deliveries.ts';
import type { Measurement } from '../figure.ts';
import { until } from '../recorded.ts';
import { percentile } from '../measure/statistics.ts';
import type { Stage } from '../stage.ts';
import { figures } from './table.ts';

const BUSY = 10_000;
const QUIET = 100;
/** Endpoints of the quiet owner. */
const ENDPOINTS = 10;
const FIRST_WAIT_S = 60;

export const lateRetries: Measurement = {
  figures: figures('G6'),
  isByNameOnly: true,
  async measure(stage) {
    const { pool } = stage;
    await stage.servers.get('worker');
    const [busy, ...quiet] = await data.makeEndpoints(stage, {
      count: 1 + ENDPOINTS,
      url: data.DEAD,
    });
    await data.shareOwners(pool, [[busy!], quiet]);
    await data.makeDeliveries(
      pool,
      Array.from({ length: BUSY }, () => busy!),
    );
    await data.notify(pool, 'gatehouse_delivery');
    await untilAttempted(stage, { step: 0, endpointIds: [busy!], count: BUSY });
    await data.makeDeliveries(
      pool,
      Array.from({ length: QUIET }, (_, n) => quiet[n % ENDPOINTS]!),
    );
    await data.notify(pool, 'gatehouse_delivery');
    await untilAttempted(stage, { step: 1, endpointIds: quiet, count: QUIET });
    const late = await readLateness(stage, quiet);
    return [{ G6: percentile(late, 95) }];
  },
};

type Wanted = { step: number; endpointIds: readonly string[]; count: number };

function untilAttempted(stage: Stage, { step, endpointIds, count }: Wanted): Promise<void> {
  return until(stage, {
    sql: `select $3 - count(*)::int as left from attempt a join delivery d on d.id = a.delivery_id
      where a.step = $1 and d.endpoint_id = any($2::uuid[])`,
    values: [step, endpointIds, count],
  });
}

/** Seconds from the due time of the first retry to its start. */
async function readLateness({ pool }: Stage, endpointIds: readonly string[]): Promise<number[]> {
  const { rows } = await pool.query<{ late: number }>(
    `select extract(epoch from retry.started_at - first.started_at)::float
       - first.duration_ms / 1000.0 - ${FIRST_WAIT_S} as late
     from delivery d join attempt first on first.delivery_id = d.id and first.step = 0
     join attempt retry on retry.delivery_id = d.id and retry.step = 1
     where d.endpoint_id = any($1::uuid[]) order by late`,
    [endpointIds],
  );
  return rows.map(({ late }) => late);
}
