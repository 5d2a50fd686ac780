import { setTimeout as pause } from 'node:timers/promises';
import type { Stage } from './stage.ts';

const TIMEOUT_MS = 900_000;
const POLL_MS = 250;

/** The statement answers one row with how many are `left`. */
export async function until(
  { pool }: Stage,
  { sql, values = [] }: { sql: string; values?: unknown[] },
): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const { rows } = await pool.query<{ left: number }>(sql, values);
    const { left } = rows[0]!;
    if (left <= 0) return;
    if (performance.now() > deadline) throw new Error(`${left} are still to come`);
    await pause(POLL_MS);
  }
}
