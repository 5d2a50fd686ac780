import type pg from 'pg';
import { toArrayParameter } from '../../platform/database/array-parameter.ts';
import { shareStatement } from '../../platform/database/batcher.ts';
import { mergeDays, type DayOfUse } from './usage-day.ts';

// In the order of the key, so that two statements never wait for each other; an existing row rises.
const ADD_DAYS = `
  insert into usage_day as u (product_id, person_id, day, first_kind, is_qualifying,
    sessions, heartbeats, activities, profile_reads, first_at, last_at)
  select * from unnest($1::uuid[], $2::uuid[], $3::date[], $4::text[], $5::boolean[],
    $6::int[], $7::int[], $8::int[], $9::int[], $10::timestamptz[], $11::timestamptz[])
    as given (product_id, person_id, day, first_kind, is_qualifying,
      sessions, heartbeats, activities, profile_reads, first_at, last_at)
  order by product_id, day, person_id
  on conflict (product_id, person_id, day) do update set
    is_qualifying = u.is_qualifying or excluded.is_qualifying,
    sessions = u.sessions + excluded.sessions,
    heartbeats = u.heartbeats + excluded.heartbeats,
    activities = u.activities + excluded.activities,
    profile_reads = u.profile_reads + excluded.profile_reads,
    first_at = least(u.first_at, excluded.first_at),
    last_at = greatest(u.last_at, excluded.last_at)`;

/** One upsert for each row; several reports of one row are merged before. */
export async function addDays(pool: pg.Pool, given: readonly DayOfUse[]): Promise<void> {
  const byKey = new Map<string, DayOfUse>();
  for (const day of given) {
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
export const commitDay = shareStatement<DayOfUse, void>({
  async many(pool, days) {
    await addDays(pool, days);
    return days.map(() => undefined);
  },
});
