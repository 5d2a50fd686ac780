import { compareRounds } from '../../measure/contest.ts';
import { bareWrite, usageReport } from '../../measure/contestants.ts';
import type { Figure } from '../../figure.ts';

export const p12: Figure = {
  id: 'P12',
  what: 'usage report, committed before the answer, req/s / W1',
  bounds: { must: 0.8, stretch: 1.8, better: 'higher' },
  measure: (stage) =>
    compareRounds(stage, { measured: usageReport, reference: bareWrite, connections: 32 }),
};
