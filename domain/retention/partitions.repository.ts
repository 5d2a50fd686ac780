// Tables that are kept by month, and the request log by day. Functions of the migration make and drop their parts.
import { replaceAlerts } from '../alerts/alert.repository.ts';
import type { EntityManager } from '../../platform/database/database.ts';
import { kysely } from '../kysely.ts';

/** Makes the months and days ahead that are missing; their number. */
export async function makePartitions(em: EntityManager): Promise<number> {
  const { made } = await kysely(em)
    .selectNoFrom(({ fn }) => fn<number>('make_partitions').as('made'))
    .executeTakeFirstOrThrow();
  return made;
}

/** Drops a month or day in which every row is over; false when there is none. */
export async function dropPartition(em: EntityManager): Promise<boolean> {
  const { dropped } = await kysely(em)
    .selectNoFrom(({ fn }) => fn<string | null>('drop_partition').as('dropped'))
    .executeTakeFirstOrThrow();
  return dropped !== null;
}

/** The months after this one that every such table has. */
export async function countMonthsAhead(em: EntityManager): Promise<number> {
  const { ahead } = await kysely(em)
    .selectNoFrom(({ fn }) => fn<number>('months_ahead').as('ahead'))
    .executeTakeFirstOrThrow();
  return ahead;
}

/** Raises an alert while the next month is not prepared: its rows could not be inserted. */
export async function checkMonthsAhead(em: EntityManager): Promise<void> {
  const ahead = await countMonthsAhead(em);
  await replaceAlerts(
    em,
    'months_missing',
    ahead < 1 ? [{ subject: 'all', detail: { ahead } }] : [],
  );
}
