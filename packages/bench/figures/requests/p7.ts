import { compareRounds } from '../../measure/contest.ts';
import { profileRead, bareRead } from '../../measure/contestants.ts';
import type { Figure } from '../../figure.ts';

export const p7: Figure = {
  id: 'P7',
  what: 'profile read with limiter, req/s / R1',
  bounds: { must: 0.55, stretch: 0.85, better: 'higher' },
  measure: (stage) =>
    compareRounds(stage, { measured: profileRead, reference: bareRead, connections: 32 }),
};
