import { loadPoolMonth, type PoolLoad } from '../data/pool/month.ts';
import type { Measurement } from '../figure.ts';
import { readPeakMiB, resetPeak, sampleUntilSettled } from '../measure/memory.ts';
import { inRounds } from '../measure/rounds.ts';
import { median } from '../measure/statistics.ts';
import type { Stage } from '../stage.ts';

/** 3,000,000 qualified days. */
const LOAD: PoolLoad = { members: 100_000, products: 2_000, uses: 10, days: 3 };
/** Three times the products of a Member, on ten days instead of three: 30,000,000 days. */
const TEN_TIMES: PoolLoad = { ...LOAD, uses: 3 * LOAD.uses, days: 10 };

const WHAT = 'a month of 100,000 Members, 2,000 products, 3,000,000 days frozen and computed';

export const poolMonth: Measurement = {
  figures: [
    {
      id: 'U1S',
      what: `${WHAT}, in seconds`,
      bounds: { must: 120, stretch: 45, better: 'lower' },
    },
    {
      id: 'U1M',
      what: `${WHAT}, peak memory above idle, MiB`,
      bounds: { must: 200, stretch: null, better: 'lower' },
    },
  ],
  isByNameOnly: true,
  async measure(stage) {
    const periodId = await loadMonth(stage, LOAD);
    return inRounds(stage, async () => {
      const { seconds, peakMiB } = await runPoolMonth(stage, periodId);
      return { U1S: seconds, U1M: peakMiB };
    });
  },
};

export const poolMonthOfManyDays: Measurement = {
  figures: [
    {
      id: 'U2',
      what: 'the same with ten times the days / with the days of U1, time',
      bounds: { must: 11, stretch: null, better: 'lower' },
    },
  ],
  isByNameOnly: true,
  async measure(stage) {
    const few = await runPoolMonth(stage, await loadMonth(stage, LOAD));
    await stage.servers.stop();
    const many = await runPoolMonth(stage, await loadMonth(stage, TEN_TIMES));
    return [{ U2: many.seconds / few.seconds }];
  },
};

async function loadMonth(stage: Stage, load: PoolLoad): Promise<string> {
  await stage.data.people();
  return loadPoolMonth(stage.pool, load);
}

type Run = { status: string; seconds: number; freezeS: number };

/** Settles a month in a process that has settled before. */
async function runPoolMonth(stage: Stage, periodId: string) {
  const [server] = await stage.servers.get('pool-month');
  const { pid, origin } = server!;
  const idleMiB = median(await sampleUntilSettled(pid));
  resetPeak(pid);
  const response = await fetch(`${origin}/?period=${periodId}`);
  if (!response.ok) throw new Error(await response.text());
  const { status, seconds, freezeS } = (await response.json()) as Run;
  const peakMiB = readPeakMiB(pid) - idleMiB;
  stage.say(
    `    ${status} in ${seconds.toFixed(1)} s, ${freezeS.toFixed(1)} of them the freeze; ${peakMiB.toFixed(0)} MiB above ${idleMiB.toFixed(0)}`,
  );
  return { seconds, peakMiB };
}
