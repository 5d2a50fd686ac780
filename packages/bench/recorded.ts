import { setTimeout as pause } from 'node:timers/promises';
import type { Stage } from './stage.ts';

const POLL_MS = 100;
const TIMEOUT_MS = 180_000;

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

export async function fetchSeconds(url: string): Promise<number> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(await response.text());
  return ((await response.json()) as { seconds: number }).seconds;
}
