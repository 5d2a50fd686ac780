// What the bench waits for in the database.
import { setTimeout as pause } from 'node:timers/promises';
import type { Stage } from './stage.ts';

const POLL_MS = 100;
const TIMEOUT_MS = 180_000;
const LONG_POLL_MS = 250;
const LONGEST_MS = 900_000;

/** The statement answers one row with how many are `left`. */
export async function until(
  { pool }: Stage,
  { sql, values = [] }: { sql: string; values?: unknown[] },
): Promise<void> {
  const deadline = performance.now() + LONGEST_MS;
  for (;;) {
    const { rows } = await pool.query<{ left: number }>(sql, values);
    const { left } = rows[0]!;
    if (left <= 0) return;
    if (performance.now() > deadline) throw new Error(`${left} are still to come`);
    await pause(LONG_POLL_MS);
  }
}

/**
 * Waits until all deliveries have succeeded, and returns the seconds from an instant of the
 * database to the last record.
 */
export async function untilRecorded(
  { pool }: Stage,
  { count, since }: { count: number; since: Date },
): Promise<number> {
  const deadline = performance.now() + TIMEOUT_MS;
  const isOpen = async () =>
    (await pool.query('select from delivery_state limit 1')).rowCount !== 0;
  while (performance.now() < deadline && (await isOpen())) await pause(POLL_MS);
  const { rows } = await pool.query<{ n: number; seconds: number }>(
    `select count(*)::int as n, extract(epoch from
       max(started_at + duration_ms * interval '1 millisecond') - $1)::float as seconds
     from attempt where error is null`,
    [since],
  );
  const { n, seconds } = rows[0]!;
  if (n !== count) throw new Error(`only ${n} of ${count} succeeded`);
  return seconds;
}

export async function databaseTime({ pool }: Stage): Promise<Date> {
  return (await pool.query<{ at: Date }>('select clock_timestamp() as at')).rows[0]!.at;
}
