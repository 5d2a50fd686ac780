import { loadPoolMonth } from '../data/pool/month.ts';
import type { Measurement } from '../figure.ts';
import { runLoad, type Contestant } from '../measure/contest.ts';
import { entitlementCheck } from '../measure/contestants.ts';
import { inRounds } from '../measure/rounds.ts';
import { median } from '../measure/statistics.ts';
import type { Stage } from '../stage.ts';

/** Long enough for some loads: a month of this size takes about ten seconds. */
const MONTH = { members: 20_000, products: 1_000, uses: 10, days: 3 };

export const checksBesidePoolMonth: Measurement = {
  figures: [
    {
      id: 'U1P',
      what: "P1's p99 while a month of 20,000 Members is frozen and computed / without",
      bounds: { must: 1.5, stretch: null, better: 'lower' },
    },
  ],
  isByNameOnly: true,
  async measure(stage) {
    const checks = await entitlementCheck(stage);
    const periodId = await loadPoolMonth(stage.pool, MONTH);
    return inRounds(stage, async () => {
      await measureP99(stage, checks); // warms up
      const during = await measureDuring(stage, { checks, periodId });
      const without: number[] = [];
      while (without.length < during.length) without.push(await measureP99(stage, checks));
      const shown = [during, without].map((all) => all.map((ms) => ms.toFixed(1)).join(', '));
      stage.say(`    p99 ${shown[0]} ms while it runs, ${shown[1]} ms without`);
      return { U1P: median(during) / median(without) };
    });
  },
};

/** One load after the other until the month is computed: each that began before its end counts. */
async function measureDuring(
  stage: Stage,
  { checks, periodId }: { checks: Contestant; periodId: string },
): Promise<number[]> {
  const [server] = await stage.servers.get('pool-month');
  const over = new AbortController();
  const p99s: number[] = [];
  await Promise.all([
    compute(`${server!.origin}/?period=${periodId}`).finally(() => over.abort()),
    (async () => {
      while (!over.signal.aborted) p99s.push(await measureP99(stage, checks));
    })(),
  ]);
  return p99s;
}

async function compute(url: string): Promise<void> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(await response.text());
}

async function measureP99(stage: Stage, checks: Contestant): Promise<number> {
  return (await runLoad(stage, checks)).p99Ms;
}
