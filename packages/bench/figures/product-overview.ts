import { ENTITIES } from '../../../domain/entities.ts';
import {
  loadProductFigures,
  sumProductFigures,
} from '../../../domain/product-figures/product-figures.query.ts';
import { DAY_MS } from '../../../domain/shared/instant.ts';
import { openDatabase, type Database } from '../../../platform/database/database.ts';
import { loadOverview } from '../data/product-figures.ts';
import type { Measurement } from '../figure.ts';
import { compareSides, type Side } from '../measure/rounds.ts';
import { median } from '../measure/statistics.ts';
import type { Stage } from '../stage.ts';
import { figures } from './table.ts';

const FIRST_PRODUCT = '01900000-0000-7000-9000-000000000000';
const READS = 300;
const ROWS = 270;

export const productOverview: Measurement = {
  figures: figures('F1'),
  isByNameOnly: true,
  async measure(stage) {
    await loadOverview(stage);
    const { databaseUrl: url } = stage;
    const database = openDatabase({ url, listenUrl: url, name: 'bench', entities: ENTITIES });
    await sum(stage, database);
    const rounds = await compareSides(stage, async () => ({
      overview: timeReads(() => readOverview(database)),
      bare: timeReads(() => readBare(database)),
    }));
    await database.close();
    return rounds.map(({ overview, bare }) => {
      stage.say(`    ${overview.toFixed(2)} ms; ${ROWS} rows ${bare.toFixed(2)} ms`);
      return { F1: overview / bare };
    });
  },
};

/** The first run sums half a year, the others four days. */
async function sum({ say }: Stage, { pool }: Database): Promise<void> {
  for (const run of ['the first', 'a later']) {
    const startedAt = performance.now();
    await sumProductFigures(pool);
    const seconds = (performance.now() - startedAt) / 1_000;
    say(`  ${run} run of upkeep summed all products in ${seconds.toFixed(2)} s`);
  }
  await pool.query('analyze product_figure');
}

async function readOverview(database: Database): Promise<void> {
  const { total, currencies } = await loadProductFigures(database.em(), {
    productId: FIRST_PRODUCT,
    days: 90,
    currency: 'USD',
    now: new Date(),
  });
  if (total.revenueMinor <= 0 || currencies.length !== 1) throw new Error('the overview is empty');
}

const BARE = `
  select day, kind, count, sum_minor from product_figure
  where product_id = $1 and day >= $2 and kind in ('sales', 'refunds', 'customers')
  order by day limit ${ROWS}`;

async function readBare({ pool }: Database): Promise<void> {
  const first = new Date(Date.now() - 100 * DAY_MS);
  const { rowCount } = await pool.query({
    name: 'bare',
    text: BARE,
    values: [FIRST_PRODUCT, first],
  });
  if (rowCount !== ROWS) throw new Error(`${rowCount} rows were read`);
}

/** The median of reads one after the other, in ms. */
function timeReads(read: () => Promise<void>): Side<number> {
  const times = async () => {
    const took: number[] = [];
    for (let n = 0; n < READS; n += 1) {
      const startedAt = performance.now();
      await read();
      took.push(performance.now() - startedAt);
    }
    return median(took);
  };
  return { warmUp: times, measure: times };
}
