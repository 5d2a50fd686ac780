import { compareRounds } from '../../measure/contest.ts';
import { bareRead, entitlementCheck } from '../../measure/contestants.ts';
import type { Figure } from '../../figure.ts';

export const p3: Figure = {
  id: 'P3',
  what: 'the same: p99 / R1',
  bounds: { must: 2, stretch: 1.4, better: 'lower' },
  measure: (stage) =>
    compareRounds(stage, {
      measured: entitlementCheck,
      reference: bareRead,
      connections: 32,
      by: ({ p99Ms }) => p99Ms,
    }),
};
