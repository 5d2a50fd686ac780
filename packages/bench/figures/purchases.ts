import type { Measurement } from '../figure.ts';
import { inRounds } from '../measure/rounds.ts';
import { buyMany, openSales, sellSteadily } from '../sales.ts';
import type { Stage } from '../stage.ts';

const AT_ONCE = 200;
const STEADY = { count: 200, perS: 20 };

export const purchases: Measurement = {
  figures: [
    {
      id: 'S3',
      what: 'purchases/s through simulator and clearing, until the last has cleared',
      bounds: { must: 20, stretch: 40, better: 'higher' },
    },
    {
      id: 'S4',
      what: "20 purchases/s: processor's event to entitlement, p50 ms",
      bounds: { must: 500, stretch: 150, better: 'lower' },
    },
  ],
  measure: (stage) =>
    inRounds(stage, async () => {
      const { next, close } = await openSales(stage);
      await sellQuickly(stage, next); // warms up
      const S3 = await sellQuickly(stage, next);
      const S4 = await sellSteadily(stage, { next, ...STEADY });
      await close();
      stage.say(`    ${S3.toFixed(1)} purchases/s, p50 ${S4.toFixed(0)} ms at ${STEADY.perS}/s`);
      return { S3, S4 };
    }),
};

/** Sells as quickly as it goes, until all have cleared. Returns purchases per second. */
async function sellQuickly(stage: Stage, next: () => Promise<string>): Promise<number> {
  const startedAt = performance.now();
  await buyMany(stage, { next, count: AT_ONCE });
  return AT_ONCE / ((performance.now() - startedAt) / 1_000);
}
