import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { computePool } from '../../../domain/pool/month-close/compute-month.repository.ts';
import { freezePool } from '../../../domain/pool/month-close/freeze.repository.ts';
import {
  readPoolFile,
  type PoolFile,
} from '../../../domain/pool/month-close/pool-file.repository.ts';
import { newEncryptedPoolKey, openPoolKey } from '../../../domain/pool/period/period-key.ts';
import { createEncryptor, type Encryptor } from '../../../domain/shared/secrets.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { TestDatabase } from '../engines/database.ts';
import { insertPeriod } from './insert-period.ts';
import { createPoolMoney, createPoolUse } from './pool-facts.ts';

type Parts = { testDatabase: TestDatabase; database: Database };

const ENCRYPTOR = createEncryptor([{ id: 'k1', key: Buffer.alloc(32, 1) }]);

/** Months of the pool with what they are made of and what comes of them. */
export function createPoolScene({
  testDatabase,
  database,
  encryptor = ENCRYPTOR,
}: Parts & Partial<Encrypted>) {
  const { query } = testDatabase;
  const use = createPoolUse(testDatabase);
  return {
    query,
    encryptor,
    ...use,
    ...createPoolMoney({ query, ...use }),
    ...createPeriods({ testDatabase, database, encryptor }),
    ...createReadings({ testDatabase, database, encryptor }),
  };
}

type Encrypted = Parts & { encryptor: Encryptor };

function createPeriods({ testDatabase: { query }, database, encryptor }: Encrypted) {
  /** A row as the end of the month before made it. */
  async function openPeriod(month: string, currency = 'USD'): Promise<string> {
    const id = `${month}:${currency}`;
    await insertPeriod({ query }, { id, encryptedKey: newEncryptedPoolKey(encryptor, id) });
    return id;
  }

  const given = (periodId: string) => ({ periodId, encryptor });
  const freeze = (periodId: string, on = database) => freezePool(on, given(periodId));
  const compute = (periodId: string) => computePool(database, given(periodId));

  /** Opens, freezes and computes a month. */
  async function close(month: string, currency = 'USD'): Promise<string> {
    const periodId = await openPeriod(month, currency);
    await freeze(periodId);
    await compute(periodId);
    return periodId;
  }

  return { openPeriod, freeze, compute, close };
}

function createReadings({ testDatabase: { query }, database, encryptor }: Encrypted) {
  const readFile = (file: PoolFile): Promise<Buffer> => buffer(readPoolFile(database.em(), file));

  return {
    readFile,
    readText: async (file: PoolFile) => gunzipSync(await readFile(file)).toString(),

    async readPeriod(periodId: string) {
      const [row] = await query<Record<string, unknown> & { encrypted_key: string }>(
        `select * from pool_period where id = $1`,
        [periodId],
      );
      return row!;
    },

    /** What a period holds of a person; null where it does not know them. */
    async readMember(periodId: string, personId: string) {
      const [period] = await query<{ encrypted_key: string }>(
        `select encrypted_key from pool_period where id = $1`,
        [periodId],
      );
      const { ofMember } = openPoolKey(encryptor, {
        id: periodId,
        encryptedKey: period!.encrypted_key,
      });
      const [row] = await query<{ net: number; products: string[]; days: number[] }>(
        `select net_minor::int as net, product_ids::text[] as products, days from pool_member
         where period_id = $1 and member = $2`,
        [periodId, Buffer.from(ofMember(personId), 'hex')],
      );
      if (!row) return null;
      const days = row.products.map((id, place) => [id, row.days[place]] as const);
      return { netMinor: row.net, days: Object.fromEntries(days) };
    },

    /** By month and product: the amounts of a period, or of all with `null`. */
    async readAmounts(periodId: string | null, productIds: readonly string[]) {
      const rows = await query<{ month: string; product: string; amount: number; days: number }>(
        `select to_char(month, 'YYYY-MM') as month, product_id as product,
           sum(amount_minor)::int as amount, sum(qualified_days)::int as days
         from pool_line where ($1::text is null or period_id = $1) and product_id = any($2)
         group by 1, 2 order by 1`,
        [periodId, productIds],
      );
      return rows
        .toSorted(
          (one, other) => productIds.indexOf(one.product) - productIds.indexOf(other.product),
        )
        .map(({ month, product, amount, days }) => ({
          month,
          place: productIds.indexOf(product),
          amount,
          days,
        }));
    },
  };
}
