import { addEvidence } from '../../../domain/usage/record-evidence.query.ts';
import { toEvidence } from '../../../domain/usage/evidence-marks.ts';
import { PRODUCTS } from '../data/catalog.ts';
import { personIdOf } from '../data/people.ts';
import { clearMonths } from '../data/usage.ts';
import type { Measurement } from '../figure.ts';
import { figures } from './table.ts';

const ROWS = 1_000_000;
const DAYS = 10;
const AT_ONCE = 5_000;
/** Numbers that share no factor with the rows: each day everybody comes in another order. */
const SHUFFLES = [
  617_051, 419_351, 733_331, 104_729, 350_377, 999_331, 611_953, 224_737, 746_773, 479_909,
];
const ACTIVITY = { kind: 'activity', isByKey: false, isQualifying: true } as const;

export const evidenceSize: Measurement = {
  figures: figures('G9'),
  isByNameOnly: true,
  async measure({ pool, say }) {
    await clearMonths(pool);
    const month = new Date().toISOString().slice(0, 7);
    for (let day = 1; day <= DAYS; day += 1) {
      const at = new Date(`${month}-${String(day * 2).padStart(2, '0')}T12:00:00Z`);
      for (let from = 0; from < ROWS; from += AT_ONCE) {
        const uses = Array.from({ length: AT_ONCE }, (_, index) =>
          keyOf((from + index) * SHUFFLES[day - 1]!),
        );
        await addEvidence(
          pool,
          uses.map((key) => toEvidence({ ...key, at, ...ACTIVITY })),
        );
      }
      say(`  day ${day}`);
    }
    const { rows } = await pool.query<{ bytes: string; table: string }>(
      `select sum(pg_total_relation_size(inhrelid))::text as bytes,
         sum(pg_table_size(inhrelid))::text as "table"
       from pg_inherits where inhparent = 'usage_month'::regclass`,
    );
    const [{ bytes, table }] = rows as [(typeof rows)[0]];
    say(`  ${Number(table) / ROWS} bytes of the table, ${Number(bytes) / ROWS} with its indexes`);
    await clearMonths(pool);
    return [{ G9: Number(bytes) / ROWS }];
  },
};

function keyOf(index: number) {
  const place = index % ROWS;
  const product = place % PRODUCTS;
  return {
    personId: personIdOf(Math.floor(place / 5) + 1),
    productId: `01900000-0000-7000-9000-${product.toString(16).padStart(12, '0')}`,
  };
}
