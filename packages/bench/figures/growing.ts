// What still holds when the tables have grown.
import { DEAD, growDeliveries, makeEndpoints } from '../data/deliveries.ts';
import { growEntitlements } from '../data/entitlements.ts';
import type { Measurement } from '../figure.ts';
import { byRequests, compete } from '../measure/contest.ts';
import { bareRead, entitlementCheck } from '../measure/contestants.ts';
import { signIn, timePages } from '../measure/pages.ts';
import { median } from '../measure/statistics.ts';
import type { Stage } from '../stage.ts';
import { figures } from './table.ts';

/** Both checks are ratios to R1, so that what drifts while rows are loaded cancels out. */
export const growingEntitlements: Measurement = {
  figures: figures('P18A'),
  isByNameOnly: true,
  async measure(stage) {
    const small = await compareWithR1(stage);
    await growEntitlements(stage.pool, stage.say);
    const grown = await compareWithR1(stage);
    return grown.map((ratio, round) => ({ P18A: ratio / small[round]! }));
  },
};

async function compareWithR1(stage: Stage): Promise<number[]> {
  const rounds = await compete(stage, { measured: entitlementCheck, reference: bareRead });
  return rounds.map(byRequests);
}

const FEW = 10_000;
const MANY = 10_000_000;
const ENDPOINTS = 500;

export const growingDeliveries: Measurement = {
  figures: figures('P18B'),
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
