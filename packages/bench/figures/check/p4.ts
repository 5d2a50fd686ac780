import { compareRounds } from '../../measure/contest.ts';
import { bareRead, entitlementCheck } from '../../measure/contestants.ts';
import type { Figure } from '../../figure.ts';

export const p4: Figure = {
  id: 'P4',
  what: 'entitlement check, one connection: p50 / R1',
  bounds: { must: 1.8, stretch: 1.4, better: 'lower' },
  measure: (stage) =>
    compareRounds(stage, {
      measured: entitlementCheck,
      reference: bareRead,
      connections: 1,
      by: ({ p50Ms }) => p50Ms,
    }),
};
