// What the log of requests costs a check: the same process with and without it.
import { compete, type Contestant, type Round } from '../../measure/contest.ts';
import { entitlementCheck } from '../../measure/contestants.ts';
import { ratios } from '../../measure/statistics.ts';
import type { Figure } from '../../figure.ts';
import type { Stage } from '../../stage.ts';

const ROUNDS = 15;

export const q1: Figure = {
  id: 'Q1',
  what: 'entitlement check, 32 connections, req/s / without the log of requests',
  bounds: { must: 0.95, stretch: 0.99, better: 'higher' },
  isByNameOnly: true,
  measure: (stage) =>
    compareLogs(stage, { connections: 32, by: ({ requestsPerS }) => requestsPerS }),
};

export const q4: Figure = {
  id: 'Q4',
  what: 'entitlement check, one connection: p50 / without the log of requests',
  bounds: { must: 1.05, stretch: 1.01, better: 'lower' },
  isByNameOnly: true,
  measure: (stage) => compareLogs(stage, { connections: 1, by: ({ p50Ms }) => p50Ms }),
};

type Terms = { connections: number; by: (round: Round) => number };

async function compareLogs(stage: Stage, { connections, by }: Terms): Promise<number[]> {
  const measured = await entitlementCheck(stage);
  const reference: Contestant = { ...measured, server: 'api-without-log' };
  const results = await compete(stage, { measured, reference }, { connections, rounds: ROUNDS });
  return ratios(results.measured.map(by), results.reference.map(by));
}
