import { compareRounds } from '../../measure/contest.ts';
import { bareRead, entitlementCheck } from '../../measure/contestants.ts';
import type { Figure } from '../../figure.ts';

export const p5: Figure = {
  id: 'P5',
  what: 'entitlement check, four connections: req/s / R1',
  bounds: { must: 0.3, stretch: 0.4, better: 'higher' },
  measure: (stage) =>
    compareRounds(stage, {
      measured: entitlementCheck,
      reference: bareRead,
      connections: 4,
    }),
};
