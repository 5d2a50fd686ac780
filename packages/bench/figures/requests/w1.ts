import { compete } from '../../measure/contest.ts';
import { bareWrite } from '../../measure/contestants.ts';
import type { Figure } from '../../figure.ts';

export const w1: Figure = {
  id: 'W1',
  what: 'reference: bare server, one committed insert, req/s',
  bounds: null,
  async measure(stage) {
    const { write } = await compete(stage, { write: await bareWrite(stage) }, { connections: 32 });
    return write.map(({ requestsPerS }) => requestsPerS);
  },
};
