import { compareRounds } from '../../measure/contest.ts';
import { tokenExchange, bareWrite } from '../../measure/contestants.ts';
import type { Figure } from '../../figure.ts';

export const p13: Figure = {
  id: 'P13',
  what: 'token exchange, req/s / W1',
  bounds: { must: 0.6, stretch: 0.9, better: 'higher' },
  measure: (stage) =>
    compareRounds(stage, { measured: tokenExchange, reference: bareWrite, connections: 32 }),
};
