// Live entitlement checks are counted in two steps: what a process has gathered is appended as one row,
// and the rows of all processes are added up together, which writes the row of a person once for many.
import type pg from 'pg';
import { toArrayParameter } from '../../platform/database/array-parameter.ts';

/** Live entitlement checks of a product about a person, who is known where an entitlement says so. */
export type Checks = { productId: string; personId: string; isKnown: boolean; checks: number };

const APPEND = `
  insert into check_batch (day, product_ids, person_ids, are_known, checks)
  values ((gatehouse_now() at time zone 'UTC')::date, $1, $2, $3, $4)`;

/** Each has a (product, person) of its own. */
export async function appendChecks(pool: pg.Pool, given: readonly Checks[]): Promise<void> {
  await pool.query({
    name: 'append_checks',
    text: APPEND,
    values: [
      given.map(({ productId }) => productId),
      given.map(({ personId }) => personId),
      given.map(({ isKnown }) => isKnown),
      given.map(({ checks }) => checks),
    ].map(toArrayParameter),
  });
}

// In the order of the key, so that two at once never wait for each other in a ring. Whoever is asked
// about need not exist: nothing is kept of them.
const ADD_UP = `
  with taken as (
    delete from check_batch where id in (
      select id from check_batch order by id limit $1 for update skip locked)
    returning *
  ), added as (
    insert into check_count as c (product_id, day, person_id, checks)
    select product_id, day, person_id, sum(given.checks)
    from taken, unnest(product_ids, person_ids, are_known, taken.checks)
      as given (product_id, person_id, is_known, checks)
    group by product_id, day, person_id
    having bool_or(is_known) or exists (select 1 from person p where p.id = person_id)
    order by product_id, day, person_id
    on conflict (product_id, day, person_id) do update set checks = c.checks + excluded.checks
  )
  select count(*)::int as taken from taken`;

/** At most so many batches are added to the counts of their days; true where more may be left. */
export async function addUpChecks(pool: pg.Pool, most: number): Promise<boolean> {
  const { rows } = await pool.query<{ taken: number }>(ADD_UP, [most]);
  return rows[0]!.taken === most;
}
