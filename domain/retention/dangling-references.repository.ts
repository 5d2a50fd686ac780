// References into tables that are kept by month, which no foreign key guards.
import { sql } from 'kysely';
import { replaceAlerts } from '../alerts/alert.repository.ts';
import type { EntityManager } from '../../platform/database/database.ts';
import { kysely } from '../kysely.ts';

const MAX_ROWS = 100_000;

/** Tables with the column that refers to a row of another table. */
const REFERENCES = [
  ['deliveryState', 'deliveryId', 'delivery'],
  ['deliveryLease', 'deliveryId', 'delivery'],
  ['attempt', 'deliveryId', 'delivery'],
  ['delivery', 'eventId', 'event'],
  ['auditAddress', 'auditId', 'audit'],
  ['processorEvent', 'bodyId', 'processorEventBody'],
  ['preSession', 'clickId', 'click'],
] as const;

type Reference = (typeof REFERENCES)[number];

/** The newest references: as many as a night may look at. */
function selectNewest(em: EntityManager, [table, column]: Reference) {
  const id = sql.ref<string>(column);
  return kysely(em)
    .selectFrom(table)
    .select(id.as('id'))
    .where(id, 'is not', null)
    .orderBy(table === 'delivery' ? sql.ref('delivery.id') : id, 'desc')
    .limit(MAX_ROWS);
}

/** Counts rows whose row in another table is missing, by tables, and raises an alert for each pair. */
export async function checkReferences(em: EntityManager): Promise<Record<string, number>> {
  const broken: Record<string, number> = {};
  for (const reference of REFERENCES) {
    const [table, , referred] = reference;
    const { n } = await kysely(em)
      .selectFrom(selectNewest(em, reference).as('newest'))
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .where(({ exists, not, selectFrom }) =>
        not(exists(selectFrom(referred).select('id').whereRef(`${referred}.id`, '=', 'newest.id'))),
      )
      .executeTakeFirstOrThrow();
    if (n > 0) broken[`${table} without ${referred}`] = n;
  }
  const alerts = Object.entries(broken).map(([subject, rows]) => ({ subject, detail: { rows } }));
  await replaceAlerts(em, 'reference_broken', alerts);
  return broken;
}
