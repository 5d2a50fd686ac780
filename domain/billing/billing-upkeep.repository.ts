import type { EntityManager } from '../../platform/database/database.ts';
import { ago } from '../../platform/database/expressions.ts';
import { kysely } from '../kysely.ts';

const BATCH = 5_000;

/**
 * The processor repeats an event for days, and a reading replaces its content, so 90 days are
 * enough. True when more wait.
 */
export async function removeHandledEvents(em: EntityManager): Promise<boolean> {
  const removed = await kysely(em)
    .deleteFrom('processorEvent')
    .where(({ eb, or, refTuple, selectFrom }) =>
      eb(
        refTuple('processor', 'id'),
        'in',
        selectFrom('processorEvent')
          .select(['processor', 'id'])
          .where('handledAt', '<=', ago('90 days'))
          .where(or([eb('deadLetterReason', 'is', null), eb('setAsideAt', 'is not', null)]))
          .orderBy('handledAt')
          .limit(BATCH)
          .$asTuple('processor', 'id'),
      ),
    )
    .executeTakeFirst();
  return Number(removed.numDeletedRows) === BATCH;
}
