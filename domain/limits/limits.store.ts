import type pg from 'pg';

export type Count = { n: number; resetS: number };

const COUNT = `
  insert into rate_window as w (bucket, minute, n)
  values ($1, floor(extract(epoch from gatehouse_now()) / 60)::bigint, 1)
  on conflict (bucket, minute) do update set n = w.n + 1
  returning n, (60 - floor(extract(epoch from gatehouse_now()))::bigint % 60)::int as reset_s`;

/** Counts one request in the fixed window of this minute of the database's clock, for every process alike. */
export async function countRequest(pool: pg.Pool, bucket: string): Promise<Count> {
  const { rows } = await pool.query<{ n: number; reset_s: number }>({
    name: 'count_request',
    text: COUNT,
    values: [bucket],
  });
  return { n: rows[0]!.n, resetS: rows[0]!.reset_s };
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
