import type pg from 'pg';
import { shareStatement } from '../../platform/database/batcher.ts';

export type Count = { n: number; resetS: number };

/** In SQL: which second the database's clock is in. Where many rows need it, parentheses of its own work it out once. */
export const SECOND = 'floor(extract(epoch from gatehouse_now()))::bigint';
export const SECOND_ONCE = `(select ${SECOND})`;

/** In SQL: how far off the end of the minute is, by a `second`. */
export const resetOf = (second: string) => `(60 - ${second} % 60)::int`;

const ADD = 'on conflict (bucket, minute) do update set n = w.n + excluded.n';

/** In SQL: adds to the windows of `buckets` (bucket, n, second), in the order of the key where there are several. */
export const countOf = (buckets: string) => `
  insert into rate_window as w (bucket, n, minute)
  select bucket, n, second / 60 from (${buckets}) given ${ADD} returning bucket, n`;

/** Of the one row of `asked`, unless it has no bucket. */
export const COUNT_ONE = countOf(
  'select bucket, 1 as n, second from asked where bucket is not null',
);

/** Of all rows of `asked`, which have one second in common: two statements never wait for each other. */
export const COUNT_MANY = countOf(
  `select bucket, count(*) as n, second from asked
   where bucket is not null group by bucket, second order by bucket`,
);

/** How many of the same bucket come behind each. */
export function countBehind(buckets: readonly string[]): number[] {
  const counts = new Map<string, number>();
  const behind = buckets.toReversed().map((bucket) => {
    const count = counts.get(bucket) ?? 0;
    counts.set(bucket, count + 1);
    return count;
  });
  return behind.toReversed();
}

/**
 * The rows of a shared statement by their places, which count from 1. Those who share a bucket get
 * the numbers that they would have got one after the other.
 */
export function placeInTurn<Row extends { place: string | number; n: number }>(
  rows: readonly Row[],
  behind: readonly number[],
): (Row | null)[] {
  const placed = behind.map((): Row | null => null);
  for (const row of rows) {
    const index = Number(row.place) - 1;
    row.n -= behind[index]!;
    placed[index] = row;
  }
  return placed;
}

/** Counts one request in the fixed window of this minute of the database's clock, for every process alike. */
export const countRequest = shareStatement<string, Count>({
  async one(pool, bucket) {
    const { rows } = await pool.query<Count>({
      name: 'count_request',
      text: `insert into rate_window as w (bucket, minute, n) values ($1, ${SECOND} / 60, 1) ${ADD}
        returning n, ${resetOf(SECOND)} as "resetS"`,
      values: [bucket],
    });
    return rows[0]!;
  },
  async many(pool, buckets) {
    const { rows } = await pool.query<Count & { place: string }>({
      name: 'count_requests',
      text: `
        with asked as materialized (
          select *, ${SECOND_ONCE} as second from unnest($1::text[]) with ordinality a (bucket, place)),
        counted as (${COUNT_MANY})
        select place, n, ${resetOf('second')} as "resetS" from asked join counted using (bucket)`,
      values: [buckets],
    });
    return placeInTurn(rows, countBehind(buckets)).map((row) => row!);
  },
});

/** Removes windows that nobody counts in any more; bounded. Says how many. */
export async function removeOldWindows(pool: pg.Pool): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from rate_window where (bucket, minute) in (
       select bucket, minute from rate_window
       where minute < ${SECOND_ONCE} / 60 - 1 limit 5000)`,
  );
  return rowCount ?? 0;
}
