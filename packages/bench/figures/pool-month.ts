import { loadPoolMonth, type PoolLoad } from '../data/pool-month.ts';
import type { Measurement } from '../figure.ts';
import { runLoad, type Contestant } from '../measure/contest.ts';
import { entitlementCheck } from '../measure/contestants.ts';
import { readMemoryMiB, resetPeak, sampleUntilSettled } from '../measure/memory.ts';
import { inRounds } from '../measure/rounds.ts';
import { median } from '../measure/statistics.ts';
import type { Run } from '../servers/pool-month.ts';
import type { Stage } from '../stage.ts';
import { figures } from './table.ts';

/** 3,000,000 qualified days. */
const LOAD: PoolLoad = { members: 100_000, products: 2_000, uses: 10, days: 3 };
/** Three times the products of a Member, on ten days instead of three: 30,000,000 days. */
const TEN_TIMES: PoolLoad = { ...LOAD, uses: 3 * LOAD.uses, days: 10 };

export const poolMonth: Measurement = {
  figures: figures('U1S', 'U1M'),
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
  figures: figures('U2'),
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

/** Settles a month in a process that has settled before. */
async function runPoolMonth(stage: Stage, periodId: string) {
  const { pid, ask } = await stage.servers.get('pool-month');
  const idleMiB = median(await sampleUntilSettled(pid));
  resetPeak(pid);
  const { status, seconds, freezeS } = await ask<Run>({ periodId });
  const peakMiB = readMemoryMiB(pid, 'VmHWM') - idleMiB;
  stage.say(
    `    ${status} in ${seconds.toFixed(1)} s, ${freezeS.toFixed(1)} of them the freeze; ${peakMiB.toFixed(0)} MiB above ${idleMiB.toFixed(0)}`,
  );
  return { seconds, peakMiB };
}

/** Long enough for some loads: a month of this size takes about ten seconds. */
const MONTH = { members: 20_000, products: 1_000, uses: 10, days: 3 };

export const checksBesidePoolMonth: Measurement = {
  figures: figures('U1P'),
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
  const server = await stage.servers.get('pool-month');
  const over = new AbortController();
  const p99s: number[] = [];
  await Promise.all([
    server.ask({ periodId }).finally(() => over.abort()),
    (async () => {
      while (!over.signal.aborted) p99s.push(await measureP99(stage, checks));
    })(),
  ]);
  return p99s;
}

async function measureP99(stage: Stage, checks: Contestant): Promise<number> {
  return (await runLoad(stage, checks)).p99Ms;
}
