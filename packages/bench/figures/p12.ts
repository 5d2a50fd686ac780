import { compareRounds } from '../contest.ts';
import { bareWrite, usageReport } from '../contestants.ts';
import type { Figure } from '../figure.ts';
import type { Stage } from '../stage.ts';

const compare = (stage: Stage, connections: number) =>
  compareRounds(stage, { measured: usageReport, reference: bareWrite, connections });

export const p12: Figure = {
  id: 'P12',
  what: 'usage report, committed before the answer, 256 connections, req/s / W1',
  bounds: { must: 1.2, stretch: 1.8, better: 'higher' },
  measure: (stage) => compare(stage, 256),
};

/** Shown beside it: so few callers fill no statement (packages/bench/NOTES.md). */
export const p12f: Figure = {
  id: 'P12F',
  what: 'the same with 32 connections',
  bounds: null,
  measure: (stage) => compare(stage, 32),
};
