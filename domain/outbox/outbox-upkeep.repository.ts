import { rows, type EntityManager } from '../../platform/database/database.ts';

const BATCH = 5_000;

/**
 * Removes messages that were sent a week ago, the oldest first; dead-lettered messages wait for an
 * operator. True when more wait.
 */
export async function removeSentMessages(em: EntityManager): Promise<boolean> {
  const removed = await rows(
    em,
    `delete from outbox where id in (
       select id from (select id, sent_at from outbox order by id limit 2 * ${BATCH}) oldest
       where sent_at <= gatehouse_now() - interval '7 days' order by id limit ${BATCH}
     ) returning 1`,
  );
  return removed.length === BATCH;
}
