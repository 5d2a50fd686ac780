import type { Figure } from '../../figure.ts';
import { measureLatency } from '../../measure/latency.ts';

export const p16p99: Figure = {
  id: 'P16-P99',
  what: 'the same, p99 ms',
  bounds: { must: 30, stretch: 10, better: 'lower' },
  measure: async (stage) => (await measureLatency(stage)).map(({ p99Ms }) => p99Ms),
};
