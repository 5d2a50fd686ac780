import { loadPoolMonth } from '../../data/pool/month.ts';
import type { Figure } from '../../figure.ts';
import { runPoolMonth } from './run-pool-month.ts';

const ROUNDS = 3;
/** 3,000,000 qualified days. */
export const LOAD = { members: 100_000, products: 2_000, uses: 10, days: 3 };

const WHAT = 'a month of 100,000 Members, 2,000 products, 3,000,000 days frozen and computed';

export const u1s: Figure = {
  id: 'U1S',
  what: `${WHAT}, in seconds`,
  bounds: { must: 120, stretch: 45, better: 'lower' },
  isByNameOnly: true,
  async measure(stage) {
    await stage.data.people();
    const periodId = await loadPoolMonth(stage.pool, LOAD);
    const runs = await runPoolMonth(stage, { periodId, rounds: ROUNDS });
    return runs.map(({ seconds }) => seconds);
  },
};

export const u1m: Figure = {
  id: 'U1M',
  what: `${WHAT}, peak memory above idle, MiB`,
  bounds: { must: 200, stretch: null, better: 'lower' },
  isByNameOnly: true,
  async measure(stage) {
    await stage.data.people();
    const periodId = await loadPoolMonth(stage.pool, LOAD);
    const runs = await runPoolMonth(stage, { periodId, rounds: ROUNDS });
    return runs.map(({ peakMiB }) => peakMiB);
  },
};
