import { loadPoolMonth } from '../../data/pool/month.ts';
import type { Figure } from '../../figure.ts';
import { createJob, type Contestant } from '../../measure/contest.ts';
import { entitlementCheck } from '../../measure/contestants.ts';
import { median, ratios } from '../../measure/statistics.ts';
import type { Stage } from '../../stage.ts';

const PAIRS = 5;
const ROUND_MS = 3_000;
const CONNECTIONS = 32;
/** Long enough for some rounds: a month of this size takes about ten seconds. */
const LOAD = { members: 20_000, products: 1_000, uses: 10, days: 3 };

export const u1p: Figure = {
  id: 'U1P',
  what: "P1's p99 while a month of 20,000 Members is frozen and computed / without",
  bounds: { must: 1.5, stretch: null, better: 'lower' },
  isByNameOnly: true,
  async measure(stage) {
    const contestant = await entitlementCheck(stage);
    const periodId = await loadPoolMonth(stage.pool, LOAD);
    await checkFor(stage, contestant); // warms up
    const [busy, quiet]: [number[], number[]] = [[], []];
    for (let pair = 1; pair <= PAIRS; pair += 1) {
      const during = await checkDuring(stage, { contestant, periodId });
      const without: number[] = [];
      while (without.length < during.length) without.push(await checkFor(stage, contestant));
      busy.push(median(during));
      quiet.push(median(without));
      const shown = [during, without].map((all) => all.map((ms) => ms.toFixed(1)).join(', '));
      stage.say(`  pair ${pair}: p99 ${shown[0]} ms while it runs, ${shown[1]} ms without`);
    }
    return ratios(busy, quiet);
  },
};

/** Rounds until the month is computed: each that began before its end counts. */
async function checkDuring(
  stage: Stage,
  { contestant, periodId }: { contestant: Contestant; periodId: string },
): Promise<number[]> {
  const server = await stage.servers.startPoolMonth();
  const over = new AbortController();
  const rounds: number[] = [];
  await Promise.all([
    compute(`${server.origin}/?period=${periodId}`).finally(() => over.abort()),
    (async () => {
      while (!over.signal.aborted) rounds.push(await checkFor(stage, contestant));
    })(),
  ]);
  await server.stop();
  return rounds;
}

async function compute(url: string): Promise<void> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(await response.text());
}

async function checkFor(stage: Stage, contestant: Contestant): Promise<number> {
  const servers = await stage.servers.get(contestant.server);
  const terms = { servers, connections: CONNECTIONS, roundMs: ROUND_MS };
  const { p99Ms } = await stage.generator.run(await createJob(contestant, terms));
  return p99Ms;
}
