import { setTimeout as pause } from 'node:timers/promises';
import { clearDeliveries, makeDeliveries, makeEndpoints, notify } from '../data/deliveries.ts';
import { openCashier, type Cashier } from '../data/purchases.ts';
import type { Figure } from '../figure.ts';
import type { Stage } from '../stage.ts';
import { percentile, ratios } from '../statistics.ts';

const PURCHASES = 100;
const FAILING = 2_000;
const APART_MS = 200;
const ROUNDS = 2;
const PATIENCE_MS = 60_000;
const REFUSED = 'http://127.0.0.1:1';

export const lanes: Figure = {
  id: 'LANES',
  what: '2,000 first attempts fail at once while 100 purchases clear: p50 of clearing / undisturbed',
  bounds: { must: 2, stretch: null, better: 'lower' },
  isByNameOnly: true,
  async measure(stage) {
    const [endpointId] = await makeEndpoints(stage, { count: 1, url: REFUSED });
    await stage.servers.get('worker');
    const cashier = await openCashier(stage);
    const measured: number[] = [];
    const reference: number[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const undisturbed = await measureClearing(stage, cashier);
      const disturbed = await measureClearing(stage, cashier, endpointId);
      measured.push(disturbed);
      reference.push(undisturbed);
      stage.say(`  round ${round}, p50 ${disturbed} ms, undisturbed ${undisturbed} ms`);
    }
    await cashier.close();
    return ratios(measured, reference);
  },
};

/** From the recorded word of the processor to the cleared purchase, by the database's clock. */
async function measureClearing(
  stage: Stage,
  cashier: Cashier,
  failingEndpointId?: string,
): Promise<number> {
  const { pool } = stage;
  const purchaseIds = await cashier.sell(PURCHASES);
  if (failingEndpointId) {
    await makeDeliveries(pool, Array<string>(FAILING).fill(failingEndpointId));
    await notify(pool, 'gatehouse_delivery');
  }
  for (const purchaseId of purchaseIds) {
    await cashier.tell(purchaseId);
    await pause(APART_MS);
  }
  const deadline = performance.now() + PATIENCE_MS;
  let times: number[] = [];
  while (times.length < PURCHASES && performance.now() < deadline) {
    await pause(APART_MS);
    const { rows } = await pool.query<{ ms: number }>(
      `select (extract(epoch from p.cleared_at - e.received_at) * 1000)::float as ms
       from purchase p join processor_event e on e.purchase_id = p.id
       where p.id = any($1) and p.cleared_at is not null`,
      [purchaseIds],
    );
    times = rows.map(({ ms }) => ms).toSorted((one, two) => one - two);
  }
  if (times.length < PURCHASES) throw new Error(`only ${times.length} of ${PURCHASES} cleared`);
  await pool.query(`update webhook_endpoint set disabled_at = now(), settled_at = null`);
  await settle(stage);
  return percentile(times, 50);
}

/** What the round has left behind ends, so that the next one begins in silence. */
async function settle({ pool }: Stage): Promise<void> {
  const isOver = async () => {
    const { rows } = await pool.query<{ n: number }>(
      `select (select count(*) from outbox where sent_at is null)::int
         + (select count(*) from delivery where status in ('pending', 'retrying'))::int as n`,
    );
    return rows[0]!.n === 0;
  };
  while (!(await isOver())) await pause(APART_MS);
  await clearDeliveries(pool);
  await pool.query('update webhook_endpoint set disabled_at = null, settled_at = null');
}
