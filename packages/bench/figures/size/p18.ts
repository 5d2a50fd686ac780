import { compareRounds } from '../../measure/contest.ts';
import { bareRead, entitlementCheck } from '../../measure/contestants.ts';
import { growEntitlements } from '../../data/entitlements.ts';
import type { Figure } from '../../figure.ts';
import type { Stage } from '../../stage.ts';
import { ratios } from '../../measure/statistics.ts';

/** Both are ratios to R1 of their own time, so that what drifts while rows are loaded cancels out. */
export const p18a: Figure = {
  id: 'P18A',
  what: 'P1 with 10,000,000 entitlements / with 1,000,000',
  bounds: { must: 0.9, stretch: 1, better: 'higher' },
  isByNameOnly: true,
  async measure(stage) {
    const small = await compareWithR1(stage);
    await growEntitlements(stage.pool, stage.say);
    return ratios(await compareWithR1(stage), small);
  },
};

function compareWithR1(stage: Stage): Promise<number[]> {
  return compareRounds(stage, {
    measured: entitlementCheck,
    reference: bareRead,
    connections: 32,
  });
}
