import type pg from 'pg';
import { shareStatement } from '../platform/batch.ts';

export type Count = { n: number; resetS: number };

const WINDOW = `
  on conflict (bucket, minute) do update set n = w.n + excluded.n
  returning bucket, n, (60 - floor(extract(epoch from gatehouse_now()))::bigint % 60)::int as "resetS"`;
const MINUTE = 'floor(extract(epoch from gatehouse_now()) / 60)::bigint';

// In the order of the key, so that two of them never wait for each other.
const COUNT_MANY = `
  insert into rate_window as w (bucket, minute, n)
  select bucket, ${MINUTE}, given from unnest($1::text[], $2::int[]) as asked (bucket, given)
  order by bucket ${WINDOW}`;

/** Counts one request in the fixed window of this minute of the database's clock, for every process alike. */
export const countRequest = shareStatement<string, Count>({
  async one(pool, bucket) {
    const { rows } = await pool.query<Count>({
      name: 'count_request',
      text: `insert into rate_window as w (bucket, minute, n) values ($1, ${MINUTE}, 1) ${WINDOW}`,
      values: [bucket],
    });
    return rows[0]!;
  },
  async many(pool, buckets) {
    const given = new Map<string, number>();
    for (const bucket of buckets) given.set(bucket, (given.get(bucket) ?? 0) + 1);
    const { rows } = await pool.query<Count & { bucket: string }>({
      name: 'count_requests',
      text: COUNT_MANY,
      values: [[...given.keys()], [...given.values()]],
    });
    const counted = new Map(rows.map((row) => [row.bucket, row]));
    return buckets.map((bucket) => takeNumber(counted.get(bucket)!, given, bucket));
  },
});

/** Those who share a bucket get the numbers that they would have got one after the other. */
function takeNumber({ n, resetS }: Count, left: Map<string, number>, bucket: string): Count {
  const after = left.get(bucket)! - 1;
  left.set(bucket, after);
  return { n: n - after, resetS };
}

/** Removes windows that nobody counts in any more; bounded. */
export async function removeOldWindows(pool: pg.Pool): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from rate_window where (bucket, minute) in (
       select bucket, minute from rate_window
       where minute < floor(extract(epoch from gatehouse_now()) / 60)::bigint - 1 limit 5000)`,
  );
  return rowCount ?? 0;
}
