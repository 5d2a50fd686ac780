import type { Figure } from '../../figure.ts';
import { measureSales } from '../../sales.ts';

export const s3: Figure = {
  id: 'S3',
  what: 'purchases/s through simulator and clearing, until the last has cleared',
  bounds: { must: 20, stretch: 40, better: 'higher' },
  measure: async (stage) => (await measureSales(stage)).map(({ clearedPerS }) => clearedPerS),
};
