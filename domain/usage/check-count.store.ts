import type pg from 'pg';
import { toArrayParameter } from '../platform/array-parameter.ts';

/** Live entitlement checks of a product about a person, who is known where an entitlement says so. */
export type Checks = { productId: string; personId: string; isKnown: boolean; checks: number };

// Whoever is asked about need not exist: nothing is kept of them.
const ADD_CHECKS = `
  insert into check_count as c (product_id, person_id, day, checks)
  select given.product_id, given.person_id, (gatehouse_now() at time zone 'UTC')::date, given.checks
  from unnest($1::uuid[], $2::uuid[], $3::bool[], $4::int[]) as given (product_id, person_id, is_known, checks)
  where given.is_known or exists (select 1 from person p where p.id = given.person_id)
  order by given.product_id, given.person_id
  on conflict (product_id, person_id, day) do update set checks = c.checks + excluded.checks`;

/** Each has a (product, person) of its own. */
export async function addChecks(pool: pg.Pool, given: readonly Checks[]): Promise<void> {
  await pool.query({
    name: 'add_checks',
    text: ADD_CHECKS,
    values: [
      given.map(({ productId }) => productId),
      given.map(({ personId }) => personId),
      given.map(({ isKnown }) => isKnown),
      given.map(({ checks }) => checks),
    ].map(toArrayParameter),
  });
}
