import type { Figure } from '../../figure.ts';
import { measureStorm } from '../../measure/storm.ts';

export const g5a: Figure = {
  id: 'G5A',
  what: 'one endpoint down, 500 first attempts a second fail for 60 s: delivery workflows started/s',
  bounds: { must: 10, stretch: 5, better: 'lower' },
  isByNameOnly: true,
  measure: async (stage) => [(await measureStorm(stage)).startedPerS],
};

export const g5b: Figure = {
  id: 'G5B',
  what: 'the same: clearing p50 / undisturbed',
  bounds: { must: 2, stretch: 1.2, better: 'lower' },
  isByNameOnly: true,
  measure: async (stage) => [(await measureStorm(stage)).slowdown],
};
