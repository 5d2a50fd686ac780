import type { Figure } from '../../figure.ts';
import { measureRenewals } from '../../renewals.ts';

export const b2: Figure = {
  id: 'B2',
  what: '1,000 of 10,000 subscriptions due within a minute: all renewed and told of, s',
  bounds: { must: 300, stretch: 90, better: 'lower' },
  isByNameOnly: true,
  measure: async (stage) => (await measureRenewals(stage)).seconds,
};
