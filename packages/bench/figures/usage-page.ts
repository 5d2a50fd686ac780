import { ENTITIES } from '../../../domain/entities.ts';
import { sumNextProduct } from '../../../domain/usage/history/usage-sums.repository.ts';
import { openDatabase } from '../../../platform/database/database.ts';
import { clearMonths, loadMonth } from '../data/usage.ts';
import type { Measurement } from '../figure.ts';
import { signIn, timePages } from '../measure/pages.ts';
import { figures } from './table.ts';

const PEOPLE = 100_000;
const DAYS = 10;

export const usagePage: Measurement = {
  figures: figures('U4'),
  isByNameOnly: true,
  async measure(stage) {
    await stage.data.storefront();
    await loadMonth(stage.pool, { people: PEOPLE, days: DAYS, product: 0 });
    const { databaseUrl: url } = stage;
    const database = openDatabase({ url, listenUrl: url, name: 'bench', entities: ENTITIES });
    const startedAt = performance.now();
    let isAnyLeft: boolean;
    do isAnyLeft = (await sumNextProduct(database)) !== null;
    while (isAnyLeft);
    const seconds = (performance.now() - startedAt) / 1_000;
    stage.say(`  the days that are over were summed in ${seconds.toFixed(1)} s`);
    await database.close();
    const rounds = await timePages(stage, {
      path: '/console/products/product-0/usage',
      cookie: await signIn(stage),
      pages: 40,
      holds: 'data-days',
    });
    await clearMonths(stage.pool);
    return rounds.map((U4) => ({ U4 }));
  },
};
