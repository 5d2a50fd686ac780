import { compareRounds } from '../../measure/contest.ts';
import { barePage, productPage } from '../../measure/contestants.ts';
import type { Figure } from '../../figure.ts';

export const s1: Figure = {
  id: 'S1',
  what: 'product page, req/s / a bare Koa page with one prepared SELECT',
  bounds: { must: 0.5, stretch: 0.8, better: 'higher' },
  measure: (stage) =>
    compareRounds(stage, { measured: productPage, reference: barePage, connections: 32 }),
};
