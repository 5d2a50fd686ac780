import { loadPoolMonth } from '../../data/pool/month.ts';
import type { Figure } from '../../figure.ts';
import { LOAD } from './u1.ts';
import { runPoolMonth } from './run-pool-month.ts';

/** Three times the products of a Member, on ten days instead of three: 30,000,000 days. */
const TEN_TIMES = { ...LOAD, uses: 3 * LOAD.uses, days: 10 };

export const u2: Figure = {
  id: 'U2',
  what: 'the same with ten times the days / with the days of U1, time',
  bounds: { must: 11, stretch: null, better: 'lower' },
  isByNameOnly: true,
  async measure(stage) {
    await stage.data.people();
    const seconds: number[] = [];
    for (const load of [LOAD, TEN_TIMES]) {
      const periodId = await loadPoolMonth(stage.pool, load);
      const [run] = await runPoolMonth(stage, { periodId, rounds: 1 });
      seconds.push(run!.seconds);
    }
    return [seconds[1]! / seconds[0]!];
  },
};
