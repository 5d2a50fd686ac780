import { setTimeout as pause } from 'node:timers/promises';
import type { Stage } from './stage.ts';

const POLL_MS = 100;
const PATIENCE_MS = 180_000;

/** Until so many deliveries have succeeded: the seconds from an instant of the database to the last record. */
export async function untilRecorded(
  { pool }: Stage,
  { count, since }: { count: number; since: Date },
): Promise<number> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const { rows } = await pool.query<{ n: number; seconds: number }>(
      `select count(*)::int as n, extract(epoch from max(finished_at) - $1)::float as seconds
       from delivery where status = 'succeeded'`,
      [since],
    );
    if (rows[0]!.n >= count) return rows[0]!.seconds;
    if (performance.now() > deadline) throw new Error(`only ${rows[0]!.n} of ${count} succeeded`);
    await pause(POLL_MS);
  }
}

export async function databaseTime({ pool }: Stage): Promise<Date> {
  return (await pool.query<{ at: Date }>('select clock_timestamp() as at')).rows[0]!.at;
}

export async function fetchSeconds(url: string): Promise<number> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(await response.text());
  return ((await response.json()) as { seconds: number }).seconds;
}
