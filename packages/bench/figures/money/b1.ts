import type { Figure } from '../../figure.ts';
import { measureRenewals } from '../../renewals.ts';

export const b1: Figure = {
  id: 'B1',
  what: 'heaps of the worker after collection, with 10,000 live subscriptions / with 500',
  bounds: { must: 1.1, stretch: 1.05, better: 'lower' },
  isByNameOnly: true,
  measure: async (stage) => (await measureRenewals(stage)).memory,
};
