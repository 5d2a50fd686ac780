import { compareRounds } from '../../measure/contest.ts';
import { bareRead, entitlementCheck } from '../../measure/contestants.ts';
import type { Figure } from '../../figure.ts';

export const p6: Figure = {
  id: 'P6',
  what: 'entitlement check, two processes, 64 connections: req/s / R1 with two',
  bounds: { must: 0.9, stretch: 1.3, better: 'higher' },
  measure: (stage) =>
    compareRounds(stage, {
      measured: entitlementCheck,
      reference: bareRead,
      connections: 64,
      processes: 2,
    }),
};
