import { compareRounds } from '../../measure/contest.ts';
import { profileRead, userinfo } from '../../measure/contestants.ts';
import type { Figure } from '../../figure.ts';

export const p8: Figure = {
  id: 'P8',
  what: 'profile read / oidc-provider userinfo on PostgreSQL, req/s',
  bounds: { must: 2, stretch: 3, better: 'higher' },
  measure: (stage) =>
    compareRounds(stage, { measured: profileRead, reference: userinfo, connections: 32 }),
};
