import type pg from 'pg';
import { shareStatement } from '../platform/batch.ts';

export type Count = { n: number; resetS: number };

const MINUTE = 'floor(extract(epoch from gatehouse_now()) / 60)::bigint';
const RESET_S = '(60 - floor(extract(epoch from gatehouse_now()))::bigint % 60)::int as "resetS"';
const ADD = 'on conflict (bucket, minute) do update set n = w.n + excluded.n';

/**
 * In SQL, to be named `counted`: counts each row of `asked` that has a bucket. In the order of the
 * key, so that two statements never wait for each other.
 */
export const COUNT_ASKED = `
  insert into rate_window as w (bucket, minute, n)
  select bucket, ${MINUTE}, count(*) from asked where bucket is not null
  group by bucket order by bucket ${ADD} returning bucket, n`;

/** In SQL, of `asked left join counted using (bucket)`: what each row would have got one after the other. */
export const COUNT_COLUMNS = `
  (counted.n + 1 - row_number() over (partition by bucket order by place desc))::int as n, ${RESET_S}`;

/** Counts one request in the fixed window of this minute of the database's clock, for every process alike. */
export const countRequest = shareStatement<string, Count>({
  async one(pool, bucket) {
    const { rows } = await pool.query<Count>({
      name: 'count_request',
      text: `insert into rate_window as w (bucket, minute, n) values ($1, ${MINUTE}, 1) ${ADD} returning n, ${RESET_S}`,
      values: [bucket],
    });
    return rows[0]!;
  },
  async many(pool, buckets) {
    const { rows } = await pool.query<Count>({
      name: 'count_requests',
      text: `
        with asked as materialized (select * from unnest($1::text[]) with ordinality a (bucket, place)),
        counted as (${COUNT_ASKED})
        select ${COUNT_COLUMNS} from asked left join counted using (bucket) order by place`,
      values: [buckets],
    });
    return rows;
  },
});

/** Removes windows that nobody counts in any more; bounded. */
export async function removeOldWindows(pool: pg.Pool): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from rate_window where (bucket, minute) in (
       select bucket, minute from rate_window
       where minute < ${MINUTE} - 1 limit 5000)`,
  );
  return rowCount ?? 0;
}
