import type pg from 'pg';
import {
  TOKEN_COLUMNS,
  type AuthRequest,
  type TokenPrincipal,
} from '../entitlements/authentication.query.ts';
import {
  COUNT_MANY,
  countLater,
  rankRows,
  resetOf,
  SECOND_ONCE,
  type Count,
} from '../limits/rate-window.query.ts';
import { bearersOf } from '../oauth/tokens/bearer.query.ts';
import { toArrayParameter } from '../../platform/database/array-parameter.ts';
import { batchStatement } from '../../platform/database/batcher.ts';
import { decideByToken, type UsageKind } from './decide-usage.ts';
import { mergeDays, type DayOfUse } from './usage-day.ts';

/** In SQL: adds the rows, in the order of their key, so that two statements never wait for each other. */
const addDaysOf = (days: string) => `
  insert into usage_day as u (product_id, person_id, day, first_kind, is_qualifying,
    sessions, heartbeats, activities, profile_reads, first_at, last_at)
  ${days}
  order by product_id, day, person_id
  on conflict (product_id, person_id, day) do update set
    is_qualifying = u.is_qualifying or excluded.is_qualifying,
    sessions = u.sessions + excluded.sessions,
    heartbeats = u.heartbeats + excluded.heartbeats,
    activities = u.activities + excluded.activities,
    profile_reads = u.profile_reads + excluded.profile_reads,
    first_at = least(u.first_at, excluded.first_at),
    last_at = greatest(u.last_at, excluded.last_at)`;

const ADD_DAYS = addDaysOf(`
  select * from unnest($1::uuid[], $2::uuid[], $3::date[], $4::text[], $5::boolean[],
    $6::int[], $7::int[], $8::int[], $9::int[], $10::timestamptz[], $11::timestamptz[])
    as input (product_id, person_id, day, first_kind, is_qualifying,
      sessions, heartbeats, activities, profile_reads, first_at, last_at)`);

/** One upsert for each row; several reports of one row are merged before. */
export async function addDays(pool: pg.Pool, input: readonly DayOfUse[]): Promise<void> {
  const byKey = new Map<string, DayOfUse>();
  for (const day of input) {
    const earlier = byKey.get(day.key);
    byKey.set(day.key, earlier ? mergeDays(earlier, day) : day);
  }
  const days = [...byKey.values()];
  await pool.query({
    name: 'add_days_of_use',
    text: ADD_DAYS,
    values: [
      days.map(({ productId }) => productId),
      days.map(({ personId }) => personId),
      days.map(({ day }) => day),
      days.map(({ firstKind }) => firstKind),
      days.map(({ isQualifying }) => isQualifying),
      days.map(({ counts }) => counts.session),
      days.map(({ counts }) => counts.heartbeat),
      days.map(({ counts }) => counts.activity),
      days.map(({ counts }) => counts.profile_read),
      days.map(({ firstAt }) => firstAt.toISOString()),
      days.map(({ lastAt }) => lastAt.toISOString()),
    ].map(toArrayParameter),
  });
}

/** Evidence: committed when this settles. */
export const commitDay = batchStatement<DayOfUse, void>({
  async many(pool, days) {
    await addDays(pool, days);
    return days.map(() => undefined);
  },
});

/** A report with a person's token; one without a kind is authenticated and counted only. */
type Report = AuthRequest<boolean> & { limit: number; kind: UsageKind | null };

// Authentication, limit and evidence in one statement. `most`: a request is within its limit when so
// many are counted with the later ones of this statement. All windows are counted before the first
// day is written, so that two statements never wait for each other.
const REPORT = `
  with request as materialized (${bearersOf(
    `(select *, false as access_of, ${SECOND_ONCE} as second from
      unnest($1::bytea[], $2::text[], $3::int[], $4::text[], $5::boolean[])
      with ordinality each (hash, bucket, most, kind, qualifies, place)) input`,
    ', most, kind, qualifies',
  )}),
  counted as (${COUNT_MANY}),
  recorded as (${addDaysOf(`
    select "productId" as product_id, person_id, day, (array_agg(kind order by place))[1],
      bool_or(qualifies and not "isOwnTeam"), count(*) filter (where kind = 'session'),
      count(*) filter (where kind = 'heartbeat'), count(*) filter (where kind = 'activity'), 0, at, at
    from request join counted using (bucket)
    cross join lateral (select (at at time zone 'UTC')::date as day) today
    cross join (select count(*) from counted) all_counted
    where kind is not null and "productId" is not null and n <= most
    group by "productId", day, person_id, at`)})
  select place, n, ${resetOf('second')} as "resetS", ${TOKEN_COLUMNS}
  from request left join counted using (bucket)`;

export const report = batchStatement<Report, (TokenPrincipal & Count & { place: string }) | null>({
  async many(pool, reports) {
    const buckets = reports.map(({ bucket }) => bucket);
    const later = countLater(buckets);
    const kinds = reports.map(({ kind }) => kind);
    const values = [
      reports.map(({ hash }) => hash),
      buckets,
      reports.map(({ limit }, index) => limit + later[index]!),
      kinds,
      kinds.map((kind) => kind !== null && decideByToken(kind, false).qualifying),
    ].map(toArrayParameter);
    const statement = { name: 'report', text: REPORT, values };
    const { rows } = await pool.query<TokenPrincipal & Count & { place: string }>(statement);
    return rankRows(rows, later);
  },
});
