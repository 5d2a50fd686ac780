import { DEAD, makeDeliveries, makeEndpoints, notify } from '../data/deliveries.ts';
import type { Measurement } from '../figure.ts';
import { inRounds } from '../measure/rounds.ts';
import { openSales, sellSteadily } from '../sales.ts';
import type { Stage } from '../stage.ts';

const FAILING = 2_000;
const PURCHASES = { count: 100, perS: 5 };

export const purchasesBesideFailures: Measurement = {
  figures: [
    {
      id: 'L1',
      what: '100 purchases clear while 2,000 first attempts fail at one endpoint: p50 / undisturbed',
      bounds: { must: 2, stretch: 1.3, better: 'lower' },
    },
  ],
  isByNameOnly: true,
  measure: (stage) => inRounds(stage, async () => ({ L1: await compareClearing(stage) })),
};

async function compareClearing(stage: Stage): Promise<number> {
  const { next, close } = await openSales(stage);
  await sellSteadily(stage, { next, ...PURCHASES }); // warms up
  const undisturbed = await sellSteadily(stage, { next, ...PURCHASES });
  const [endpointId] = await makeEndpoints(stage, { count: 1, url: DEAD });
  const failing = Array.from({ length: FAILING }, () => endpointId!);
  await makeDeliveries(stage.pool, failing);
  await notify(stage.pool, 'gatehouse_delivery');
  const disturbed = await sellSteadily(stage, { next, ...PURCHASES });
  await close();
  stage.say(`    ${disturbed.toFixed(0)} ms, alone ${undisturbed.toFixed(0)} ms`);
  return disturbed / undisturbed;
}
