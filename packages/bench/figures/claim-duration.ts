import pg from 'pg';
import { createClaims } from '../../../domain/webhooks/deliveries/claims.command.ts';
import { HOT_PATHS } from '../../../platform/database/database.ts';
import type { Measurement } from '../figure.ts';
import { DEAD, makeDeliveries, makeEndpoints } from '../data/deliveries.ts';
import { inRounds } from '../measure/rounds.ts';
import { median } from '../measure/statistics.ts';
import { figures } from './table.ts';

const ENDPOINTS = 500;
const WAITING = 1_000_000;
const BATCH = 50_000;
const CLAIMS = 50;
/** Half of all that waits is one endpoint's. */
const CROWDED_PART = 2;

export const claimDuration: Measurement = {
  figures: figures('W11'),
  isByNameOnly: true,
  async measure(stage) {
    const endpointIds = await makeEndpoints(stage, { count: ENDPOINTS, url: DEAD });
    for (let made = 0; made < WAITING; made += BATCH) {
      const targets = Array.from({ length: BATCH }, (_, n) =>
        n % CROWDED_PART === 0 ? endpointIds[0]! : endpointIds[n % ENDPOINTS]!,
      );
      await makeDeliveries(stage.pool, targets);
    }
    const { databaseUrl: connectionString } = stage;
    const pool = new pg.Pool({ connectionString, max: 1, options: HOT_PATHS });
    // The first round has the planner's numbers of an empty table.
    const rounds = await inRounds(stage, async (round) => {
      const W11 = await timeClaims(pool);
      if (round === 1) await stage.pool.query('vacuum analyze delivery, delivery_state');
      return { W11 };
    });
    await pool.end();
    return rounds;
  },
};

async function timeClaims(pool: pg.Pool): Promise<number> {
  const claims = createClaims(pool);
  const times: number[] = [];
  for (let n = 0; n < CLAIMS; n += 1) {
    const startedAt = performance.now();
    await claims.firstAttempts(32);
    times.push(performance.now() - startedAt);
  }
  await pool.query('truncate delivery_lease');
  return median(times);
}
