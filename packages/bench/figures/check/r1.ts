import { compete } from '../../measure/contest.ts';
import { bareRead } from '../../measure/contestants.ts';
import type { Figure } from '../../figure.ts';

export const r1: Figure = {
  id: 'R1',
  what: 'reference: bare server, one prepared read, req/s',
  bounds: null,
  async measure(stage) {
    const { read } = await compete(stage, { read: await bareRead(stage) }, { connections: 32 });
    return read.map(({ requestsPerS }) => requestsPerS);
  },
};
