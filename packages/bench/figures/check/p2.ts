import { compareRounds, cpuPerRequest } from '../../measure/contest.ts';
import { bareRead, entitlementCheck } from '../../measure/contestants.ts';
import type { Figure } from '../../figure.ts';

export const p2: Figure = {
  id: 'P2',
  what: 'the same: CPU of Node and PostgreSQL per request / R1',
  bounds: { must: 1.3, stretch: 0.9, better: 'lower' },
  measure: (stage) =>
    compareRounds(stage, {
      measured: entitlementCheck,
      reference: bareRead,
      connections: 32,
      by: cpuPerRequest,
    }),
};
