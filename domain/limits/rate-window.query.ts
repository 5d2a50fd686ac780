// Requests by bucket and minute of the database's clock. Hot statements count in themselves, by the same SQL.
import type pg from 'pg';
import { RateLimiterRes } from 'rate-limiter-flexible';
import RateLimiterStoreAbstract from 'rate-limiter-flexible/lib/RateLimiterStoreAbstract.js';
import { batchStatement } from '../../platform/database/batcher.ts';

/** The requests of a bucket in this minute so far, and the seconds until the minute ends. */
export type Count = { n: number; resetS: number };

/**
 * SQL: the second of the database's clock. A statement over many rows computes it once by the
 * subselect.
 */
export const SECOND = 'floor(extract(epoch from gatehouse_now()))::bigint';
export const SECOND_ONCE = `(select ${SECOND})`;

/** SQL: the seconds from `second` to the end of its minute. */
export const resetOf = (second: string) => `(60 - ${second} % 60)::int`;

/**
 * SQL: adds `n` to the window of each bucket. Several buckets have one second and come in their
 * order, so that two statements cannot deadlock.
 */
export const countOf = (buckets: string) => `
  insert into rate_window as w (bucket, n, minute, slot)
  select bucket, n, second / 60, second / 60 % 3 from (${buckets}) counts
  on conflict (bucket, minute, slot) do update set n = w.n + excluded.n returning bucket, n`;

/** Counts the one row of `request`, unless it has no bucket. */
export const COUNT_ONE = countOf(
  'select bucket, 1 as n, second from request where bucket is not null',
);

/** Counts all rows of `request`. */
export const COUNT_MANY = countOf(
  `select bucket, count(*) as n, second from request
   where bucket is not null group by bucket, second order by bucket`,
);

/**
 * Returns, for each caller of a shared statement, the number of later callers with the same bucket.
 */
export function countLater(buckets: readonly string[]): number[] {
  const seen = new Map<string, number>();
  const later = buckets.toReversed().map((bucket) => {
    const count = seen.get(bucket) ?? 0;
    seen.set(bucket, count + 1);
    return count;
  });
  return later.toReversed();
}

/**
 * The rows of a shared statement in the order of its callers (`place` counts from 1), null for a caller
 * without a row. The statement counts a bucket's callers at once: each gets the rank of its own request.
 */
export function rankRows<Row extends { place: string | number; n: number }>(
  rows: readonly Row[],
  later: readonly number[],
): (Row | null)[] {
  const ranked = later.map((): Row | null => null);
  for (const row of rows) {
    const index = Number(row.place) - 1;
    row.n -= later[index]!;
    ranked[index] = row;
  }
  return ranked;
}

const COUNT_REQUESTS = `
  with request as materialized (
    select *, ${SECOND_ONCE} as second from unnest($1::text[]) with ordinality a (bucket, place)),
  counted as (${COUNT_MANY})
  select place, n, ${resetOf('second')} as "resetS" from request join counted using (bucket)`;

/** Counts one request of a bucket, for every process alike. */
export const countRequest = batchStatement<string, Count>({
  async many(pool, buckets) {
    const statement = { name: 'count_requests', text: COUNT_REQUESTS, values: [buckets] };
    const { rows } = await pool.query<Count & { place: string }>(statement);
    return rankRows(rows, countLater(buckets)).map((row) => row!);
  },
});

const MINUTE_S = 60;

/** The state of a window for a limit. Hot statements, which count in themselves, are judged by it too. */
export function toLimiterRes({ n, resetS }: Count, limit: number): RateLimiterRes {
  return new RateLimiterRes(Math.max(0, limit - n), resetS * 1_000, n, n === 1);
}

/**
 * Allows a number of requests of a key in a whole minute of the database's clock, over all
 * processes.
 */
export class RequestLimiter extends RateLimiterStoreAbstract {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool, { name, limit }: { name: string; limit: number }) {
    super({ storeClient: pool, keyPrefix: name, points: limit, duration: MINUTE_S });
    this.#pool = pool;
  }

  /** Requests that come together share a statement, which adds one for each. */
  _upsert(bucket: string, points: number): Promise<Count> {
    if (points !== 1) throw new Error('A request counts one.');
    return countRequest(this.#pool, bucket);
  }

  _getRateLimiterRes(_bucket: string, _points: number, count: Count): RateLimiterRes {
    return toLimiterRes(count, this.points);
  }

  // A window only counts up and ends by itself.
  override block = refuse;
  override set = refuse;
  override penalty = refuse;
  override reward = refuse;
}

function refuse(): never {
  throw new Error('A request window cannot be changed.');
}

/** Empties the part of the minute before last, which counts the next minute; 1 if there was something. */
export async function emptyRateWindows(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ emptied: number }>('select empty_rate_windows() as emptied');
  return rows[0]!.emptied;
}
