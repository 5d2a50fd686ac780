import { compareRounds } from '../../measure/contest.ts';
import { badge, barePage } from '../../measure/contestants.ts';
import type { Figure } from '../../figure.ts';

export const s2: Figure = {
  id: 'S2',
  what: 'badge with limiter, req/s / a bare Koa page with one prepared SELECT',
  bounds: { must: 0.5, stretch: 0.8, better: 'higher' },
  measure: (stage) =>
    compareRounds(stage, { measured: badge, reference: barePage, connections: 32 }),
};
