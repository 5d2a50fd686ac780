import type { Figure } from '../../figure.ts';
import { measureLatency } from '../../measure/latency.ts';

export const p16: Figure = {
  id: 'P16',
  what: 'event committed to receiver hit, 20 events/s, p50 ms',
  bounds: { must: 8, stretch: 3, better: 'lower' },
  measure: async (stage) => (await measureLatency(stage)).map(({ p50Ms }) => p50Ms),
};
