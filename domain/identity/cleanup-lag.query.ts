import type pg from 'pg';

export type Leftover = { kind: 'rate_window' | 'pre_session'; overdueS: number };

/** How long ago the oldest leftover row ended: upkeep removes such rows within minutes. */
export async function readLeftovers(pool: pg.Pool): Promise<Leftover[]> {
  const { rows } = await pool.query<Leftover>(
    `select kind, greatest(0, coalesce(extract(epoch from gatehouse_now()) - over_at, 0))::float8
       as "overdueS"
     from (values
       ('rate_window', (select (min(oldest) + 2) * 60 from generate_series(0, 2) part (slot)
         cross join lateral (select minute as oldest from rate_window
           where slot = part.slot limit 1) first)),
       ('pre_session', (select extract(epoch from min(expires_at)) from pre_session))
     ) oldest (kind, over_at)`,
  );
  return rows;
}
