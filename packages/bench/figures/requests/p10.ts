import { LIMITED_KEYS, preparePoints } from '../../measure/contestants.ts';
import type { Figure } from '../../figure.ts';
import type { Called, Calls } from '../../servers/parts/calls.ts';
import type { LimiterName } from '../../start/servers.ts';
import type { Stage } from '../../stage.ts';
import { ratios } from '../../measure/statistics.ts';

const CALLERS = 32;
const ROUNDS = 5;
const ROUND_MS = 3_000;
const LIMITERS = ['limiter', 'rate-limiter-flexible'] as const;

/** Called without HTTP, whose cost both sides would have in common. */
export const p10: Figure = {
  id: 'P10',
  what: 'limiter alone / RateLimiterPostgres on an unlogged table, calls/s',
  bounds: { must: 2.5, stretch: 4, better: 'higher' },
  async measure(stage) {
    await preparePoints(stage.pool);
    const rounds: Record<LimiterName, number[]> = { limiter: [], 'rate-limiter-flexible': [] };
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const name of round % 2 === 0 ? LIMITERS : LIMITERS.toReversed()) {
        const perS = await callLimiter(stage, name);
        if (round === 0) continue; // warms up
        rounds[name].push(perS);
        stage.say(`  round ${round}, ${name}: ${Math.round(perS)}/s`);
      }
    }
    return ratios(rounds.limiter, rounds['rate-limiter-flexible']);
  },
};

async function callLimiter({ servers }: Stage, name: LimiterName): Promise<number> {
  const [server] = await servers.get(name);
  const calls: Calls = { callers: CALLERS, durationMs: ROUND_MS, keys: LIMITED_KEYS };
  return (await server!.ask<Called>(calls)).perS;
}
