import { DEAD, growDeliveries, makeEndpoints } from '../data/deliveries.ts';
import type { Measurement } from '../figure.ts';
import { signIn, timePages } from '../measure/pages.ts';
import { median } from '../measure/statistics.ts';

const FEW = 10_000;
const MANY = 10_000_000;
const ENDPOINTS = 500;

export const growingDeliveries: Measurement = {
  figures: [
    {
      id: 'P18B',
      what: 'delivery list page at 10,000,000 deliveries / at 10,000',
      bounds: { must: 1.5, stretch: 1.1, better: 'lower' },
    },
  ],
  isByNameOnly: true,
  async measure(stage) {
    await stage.data.storefront();
    await makeEndpoints(stage, { count: ENDPOINTS, url: DEAD });
    const timed = {
      path: '/console/products/product-0/deliveries',
      cookie: await signIn(stage),
      pages: 100,
      holds: 'evt_',
    };
    await growDeliveries(stage, { from: 0, to: FEW });
    const few = await timePages(stage, timed);
    await growDeliveries(stage, { from: FEW, to: MANY });
    const many = await timePages(stage, timed);
    stage.say(`  ${median(few).toFixed(2)} ms, grown ${median(many).toFixed(2)} ms`);
    return many.map((ms) => ({ P18B: ms / median(few) }));
  },
};
