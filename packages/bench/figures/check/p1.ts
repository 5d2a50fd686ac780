import { compareRounds } from '../../measure/contest.ts';
import { bareRead, entitlementCheck } from '../../measure/contestants.ts';
import type { Figure } from '../../figure.ts';

export const p1: Figure = {
  id: 'P1',
  what: 'entitlement check, 32 connections, req/s / R1',
  bounds: { must: 0.6, stretch: 0.9, better: 'higher' },
  measure: (stage) =>
    compareRounds(stage, {
      measured: entitlementCheck,
      reference: bareRead,
      connections: 32,
    }),
};
