import type { Figure } from '../../figure.ts';
import { measureRenewals } from '../../renewals.ts';

export const b3: Figure = {
  id: 'B3',
  what: 'P1 while they are renewed / P1 before, each over R1 under the same load',
  bounds: { must: 0.8, stretch: 0.95, better: 'higher' },
  isByNameOnly: true,
  measure: async (stage) => (await measureRenewals(stage)).checks,
};
