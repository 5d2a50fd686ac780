import type pg from 'pg';
import type { DueEvent } from '../records/event.repository.ts';

export const FATES = ['send', 'hold', 'drop'] as const;

export type HeldOrder = 'made' | 'reversed';

type Knob = { fate: (typeof FATES)[number]; copies: number; count: number };

/** Sets the fate of `count` next events. */
export async function turnKnob(pool: pg.Pool, { fate, copies, count }: Knob): Promise<void> {
  await pool.query('update simulator.knob set fate = $1, copies = $2, events_left = $3', [
    fate,
    copies,
    count,
  ]);
}

const LEASE_SECONDS = 30;

/** What was held is due from now on, first of all by whoever released it. */
export async function claimHeldEvents(pool: pg.Pool, order: HeldOrder): Promise<DueEvent[]> {
  const { rows } = await pool.query<DueEvent & { number: string }>(
    `update simulator.event set fate = 'send', attempts = attempts + 1,
       next_at = clock_timestamp() + $1 * interval '1 second'
     where fate = 'hold' returning id, body, attempts, copies, number`,
    [LEASE_SECONDS],
  );
  const made = rows.toSorted((one, other) => Number(one.number) - Number(other.number));
  return order === 'made' ? made : made.toReversed();
}

/** How far the simulator's clock is ahead now, in seconds. */
export async function advanceClock(pool: pg.Pool, seconds: number): Promise<number> {
  const { rows } = await pool.query<{ ahead: number }>(
    `update simulator.clock set ahead = ahead + $1 * interval '1 second'
     returning extract(epoch from ahead)::float as ahead`,
    [seconds],
  );
  return rows[0]!.ahead;
}

/** The latest events and what became of each. */
export async function listEvents(pool: pg.Pool) {
  const { rows } = await pool.query(
    `select id, body::jsonb ->> 'type' as type, attempts,
       case when delivered_at is not null then 'delivered' when fate = 'send' then 'due'
         when fate = 'hold' then 'held' else 'dropped' end as state
     from simulator.event order by number desc limit 100`,
  );
  return rows;
}
