import { growEntitlements } from '../data/entitlements.ts';
import type { Measurement } from '../figure.ts';
import { byRequests, compete } from '../measure/contest.ts';
import { bareRead, entitlementCheck } from '../measure/contestants.ts';
import type { Stage } from '../stage.ts';

/** Both are ratios to R1 of their own time, so that what drifts while rows are loaded cancels out. */
export const growingEntitlements: Measurement = {
  figures: [
    {
      id: 'P18A',
      what: 'P1 with 10,000,000 entitlements / with 1,000,000',
      bounds: { must: 0.9, stretch: 1, better: 'higher' },
    },
  ],
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
