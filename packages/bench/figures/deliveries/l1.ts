import { setTimeout as pause } from 'node:timers/promises';
import { clearDeliveries, makeDeliveries, makeEndpoints, notify } from '../../data/deliveries.ts';
import type { Figure } from '../../figure.ts';
import { openSales, sellSteadily } from '../../sales.ts';
import { DEAD } from '../../measure/storm.ts';
import type { Stage } from '../../stage.ts';

const FAILING = 2_000;
const PURCHASES = { count: 100, perS: 5 };
const ROUNDS = 3;
/** Temporal is through with the workflows that were told last, and the next round begins undisturbed. */
const ENDING_MS = 20_000;

export const l1: Figure = {
  id: 'L1',
  what: '100 purchases clear while 2,000 first attempts fail at one endpoint: p50 / undisturbed',
  bounds: { must: 2, stretch: 1.3, better: 'lower' },
  isByNameOnly: true,
  async measure(stage) {
    const { next, close } = await openSales(stage);
    const ratios: number[] = [];
    await sellSteadily(stage, { next, ...PURCHASES }); // warms up
    for (let round = 1; round <= ROUNDS; round += 1) {
      const undisturbed = await sellSteadily(stage, { next, ...PURCHASES });
      const [endpointId] = await makeEndpoints(stage, { count: 1, url: DEAD });
      const failing = Array.from({ length: FAILING }, () => endpointId!);
      await makeDeliveries(stage.pool, failing);
      await notify(stage.pool, 'gatehouse_delivery');
      const disturbed = await sellSteadily(stage, { next, ...PURCHASES });
      stage.say(`  round ${round}: ${disturbed.toFixed(0)} ms, alone ${undisturbed.toFixed(0)} ms`);
      ratios.push(disturbed / undisturbed);
      await settle(stage);
    }
    await close();
    await clearDeliveries(stage.pool);
    return ratios;
  },
};

/** Deletes the endpoint: what failed is called off, and its workflows end before their timers. */
async function settle({ pool }: Stage): Promise<void> {
  await pool.query(
    'update webhook_endpoint set deleted_at = gatehouse_now() where deleted_at is null',
  );
  for (;;) {
    const { rows } = await pool.query(
      `select from delivery_state where status in ('pending', 'retrying')
       union all select from outbox where sent_at is null limit 1`,
    );
    if (rows.length === 0) break;
    await pause(500);
  }
  await pause(ENDING_MS);
}
