import type { Figure } from '../../figure.ts';
import { measureSales } from '../../sales.ts';

export const s4: Figure = {
  id: 'S4',
  what: "20 purchases/s: processor's event to entitlement, p50 ms",
  bounds: { must: 500, stretch: 150, better: 'lower' },
  measure: async (stage) => (await measureSales(stage)).map(({ p50Ms }) => p50Ms),
};
