// Live entitlement checks are counted in two steps: each process appends its counts as one row, and
// a job adds up the rows of all processes, so the row of a person is written once for many, and so
// is that of a product.
import type pg from 'pg';
import { toArrayParameter } from '../../platform/database/array-parameter.ts';

/**
 * Live checks of a product about a person; `isKnown` when an entitlement proves that the person
 * exists. Of the checks `openChecks` found access.
 */
export type Checks = {
  productId: string;
  personId: string;
  isKnown: boolean;
  checks: number;
  openChecks: number;
};

const APPEND = `
  insert into check_batch (day, product_ids, person_ids, are_known, checks, open_checks)
  values ((gatehouse_now() at time zone 'UTC')::date, $1, $2, $3, $4, $5)`;

/** Each entry has its own product and person. */
export async function appendChecks(pool: pg.Pool, input: readonly Checks[]): Promise<void> {
  await pool.query({
    name: 'append_checks',
    text: APPEND,
    values: [
      input.map(({ productId }) => productId),
      input.map(({ personId }) => personId),
      input.map(({ isKnown }) => isKnown),
      input.map(({ checks }) => checks),
      input.map(({ openChecks }) => openChecks),
    ].map(toArrayParameter),
  });
}

// In the order of the keys, so that two statements never wait for each other in a ring. A person of
// a check need not exist: nothing is stored about an unknown one.
const ADD_UP = `
  with taken as (
    delete from check_batch where id in (
      select id from check_batch order by id limit $1 for update skip locked)
    returning *
  ), added as materialized (
    select product_id, day, person_id, sum(input.checks) as checks,
      sum(input.open_checks) as open_checks
    from taken, unnest(product_ids, person_ids, are_known, taken.checks, taken.open_checks)
      as input (product_id, person_id, is_known, checks, open_checks)
    group by product_id, day, person_id
    having bool_or(is_known) or exists (select 1 from person p where p.id = person_id)
  ), by_person as (
    insert into check_count as c (product_id, day, person_id, checks)
    select product_id, day, person_id, checks from added
    order by product_id, day, person_id
    on conflict (product_id, day, person_id) do update set checks = c.checks + excluded.checks
  ), by_product as (
    insert into check_day as c (product_id, day, checks, open_checks)
    select product_id, day, sum(checks), sum(open_checks) from added
    group by product_id, day order by product_id, day
    on conflict (product_id, day) do update set checks = c.checks + excluded.checks,
      open_checks = c.open_checks + excluded.open_checks
  )
  select count(*)::int as taken from taken`;

/** Adds at most `most` batches to the counts of their days; true when more may be left. */
export async function addUpChecks(pool: pg.Pool, most: number): Promise<boolean> {
  const { rows } = await pool.query<{ taken: number }>(ADD_UP, [most]);
  return rows[0]!.taken === most;
}
