import { rows, type EntityManager } from '../../platform/database/database.ts';

/** Removes one batch of IP addresses that are older than 90 days, and returns their number. */
export async function forgetOldAddresses(em: EntityManager): Promise<number> {
  const forgotten = await rows(
    em,
    `update audit set ip = null where id in (
       select id from audit
       where ip is not null and at <= gatehouse_now() - interval '90 days'
       order by at limit 5000) returning 1`,
  );
  return forgotten.length;
}
