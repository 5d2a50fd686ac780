import { setTimeout as pause } from 'node:timers/promises';
import type { Proxy } from '../support/http/proxy.ts';
import type { Random } from './random.ts';

const DELAY_MS = 200;
/** With what is drawn, about the timeout of a statement: some are given up with their bytes on the way. */
const AT_LEAST_MS = 1_500;

/** What a network does to the connections of API and worker to one server; each ends by itself. */
export function listTroubles(server: string, proxy: Proxy, random: Random) {
  const silence = (direction: 'requests' | 'answers') => async (ms: number) => {
    const isLost = random.next() < 0.5;
    const release = proxy.hold(direction);
    await pause(AT_LEAST_MS + ms);
    if (isLost) proxy.reset();
    release();
  };
  return [
    { name: `${server}: connections reset`, strike: async () => proxy.reset() },
    {
      name: `${server}: each chunk delayed by ${DELAY_MS} ms`,
      async strike(ms: number) {
        proxy.slow(DELAY_MS);
        await pause(AT_LEAST_MS + ms);
        proxy.slow(0);
      },
    },
    { name: `${server}: requests stand still`, strike: silence('requests') },
    { name: `${server}: answers stand still`, strike: silence('answers') },
  ];
}
