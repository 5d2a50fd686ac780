import type { EntityManager } from '../../platform/database/database.ts';
import { ago } from '../../platform/database/expressions.ts';
import { kysely } from '../kysely.ts';

const BATCH = 5_000;

/**
 * Removes messages that were sent a week ago, the oldest first; dead-lettered messages wait for an
 * operator. True when more wait.
 */
export async function removeSentMessages(em: EntityManager): Promise<boolean> {
  const removed = await kysely(em)
    .deleteFrom('outbox')
    .where('id', 'in', ({ selectFrom }) => {
      const oldest = selectFrom('outbox')
        .select(['outbox.id', 'outbox.sentAt'])
        .orderBy('outbox.id')
        .limit(2 * BATCH);
      return selectFrom(oldest.as('oldest'))
        .select('oldest.id')
        .where('oldest.sentAt', '<=', ago('7 days'))
        .orderBy('oldest.id')
        .limit(BATCH);
    })
    .executeTakeFirst();
  return Number(removed.numDeletedRows) === BATCH;
}
