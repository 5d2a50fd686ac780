import { rows, type EntityManager } from '../platform/database.ts';

/** Addresses in the trail expire after 90 days; bounded. */
export async function forgetOldAddresses(em: EntityManager): Promise<void> {
  await rows(
    em,
    `update audit set ip = null where id in (
       select id from audit
       where ip is not null and at <= gatehouse_now() - interval '90 days'
       order by at limit 5000)`,
  );
}
