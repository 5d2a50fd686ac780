import type pg from 'pg';
import type { Measurement } from '../figure.ts';
import { inRounds } from '../measure/rounds.ts';
import type { Stage } from '../stage.ts';
import { figures } from './table.ts';

const ATTEMPTS = 10_000_000;
const BATCH = 500_000;
/** A month that is over however the clock stands. */
const MONTH = { part: 'partitions.attempt_2000_01', first: '2000-01-01Z', next: '2000-02-01Z' };

export const droppedMonth: Measurement = {
  figures: figures('G4'),
  isByNameOnly: true,
  measure: (stage) => inRounds(stage, async () => ({ G4: await dropPartition(stage) })),
};

/** Returns the seconds of the drop. */
async function dropPartition({ pool, say }: Stage): Promise<number> {
  await fillMonth(pool, say);
  let isDropped = false;
  const waits = insertUntil(pool, () => isDropped);
  const startedAt = performance.now();
  const { rows } = await pool.query<{ part: string }>('select drop_partition() as part');
  const seconds = (performance.now() - startedAt) / 1_000;
  isDropped = true;
  if (rows[0]!.part !== MONTH.part) throw new Error(`${rows[0]!.part} was dropped`);
  const longestMs = Math.max(...(await waits));
  say(`  ${seconds.toFixed(3)} s; meanwhile the longest insert took ${longestMs.toFixed(0)} ms`);
  return seconds;
}

async function fillMonth(pool: pg.Pool, say: (line: string) => void): Promise<void> {
  const { part, first, next } = MONTH;
  await pool.query(`create table ${part} (like attempt including all)`);
  const { rows } = await pool.query<{ first: string; next: string }>(
    `select first_id('text', $1) as first, first_id('text', $2) as next`,
    [first, next],
  );
  const bounds = rows[0]!;
  await pool.query(
    `alter table attempt attach partition ${part} for values from ('${bounds.first}') to ('${bounds.next}')`,
  );
  for (let made = 0; made < ATTEMPTS; made += BATCH) {
    await pool.query(
      `insert into attempt (delivery_id, run, step, started_at, duration_ms, status_code, ip, body_start)
       select $1 || lpad(n::text, 16, '0'), 1, 0, gatehouse_now(), 20, 200, '192.0.2.1', 'ok'
       from generate_series($2::int, $3::int) n`,
      [bounds.first, made + 1, made + BATCH],
    );
    if ((made + BATCH) % 2_000_000 === 0) say(`  ${(made + BATCH).toLocaleString('en')} attempts`);
  }
  const { rows: sizes } = await pool.query<{ size: string }>(
    `select pg_size_pretty(pg_total_relation_size('${part}')) as size`,
  );
  await pool.query('checkpoint');
  say(`  the month holds ${sizes[0]!.size}`);
}

/** One attempt after the other into this month; how long each took. */
async function insertUntil(pool: pg.Pool, isOver: () => boolean): Promise<number[]> {
  const tookMs: number[] = [];
  while (!isOver()) {
    const startedAt = performance.now();
    await pool.query(
      `insert into attempt (delivery_id, run, step, started_at, duration_ms)
       values (first_id('text', gatehouse_now()) || $1, 1, 0, gatehouse_now(), 1)`,
      [`${startedAt}`],
    );
    tookMs.push(performance.now() - startedAt);
  }
  return tookMs;
}
