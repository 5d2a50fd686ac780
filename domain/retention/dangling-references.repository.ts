// References into tables that are kept by month, which no foreign key guards.
import type { NotNull } from 'kysely';
import { replaceAlerts } from '../alerts/alert.repository.ts';
import type { EntityManager } from '../../platform/database/database.ts';
import { kysely } from '../kysely.ts';

const MAX_ROWS = 100_000;

type Referred = 'delivery' | 'event' | 'audit' | 'processorEventBody' | 'click';

/** The newest references of each kind: as many as a night may look at. */
function newestReferences(em: EntityManager) {
  const db = kysely(em);
  return {
    deliveryState: db
      .selectFrom('deliveryState')
      .select('deliveryId as id')
      .orderBy('id', 'desc')
      .limit(MAX_ROWS),
    deliveryLease: db
      .selectFrom('deliveryLease')
      .select('deliveryId as id')
      .orderBy('id', 'desc')
      .limit(MAX_ROWS),
    attempt: db
      .selectFrom('attempt')
      .select('deliveryId as id')
      .orderBy('id', 'desc')
      .limit(MAX_ROWS),
    delivery: db
      .selectFrom('delivery')
      .select('eventId as id')
      .orderBy('delivery.id', 'desc')
      .limit(MAX_ROWS),
    auditAddress: db
      .selectFrom('auditAddress')
      .select('auditId as id')
      .orderBy('id', 'desc')
      .limit(MAX_ROWS),
    processorEvent: db
      .selectFrom('processorEvent')
      .select('bodyId as id')
      .orderBy('bodyId', 'desc')
      .limit(MAX_ROWS),
    preSession: db
      .selectFrom('preSession')
      .select('clickId as id')
      .where('clickId', 'is not', null)
      .orderBy('id', 'desc')
      .limit(MAX_ROWS)
      .$narrowType<{ id: NotNull }>(),
  };
}

const REFERRED = {
  deliveryState: 'delivery',
  deliveryLease: 'delivery',
  attempt: 'delivery',
  delivery: 'event',
  auditAddress: 'audit',
  processorEvent: 'processorEventBody',
  preSession: 'click',
} as const satisfies Record<keyof ReturnType<typeof newestReferences>, Referred>;

/** Counts rows whose row in another table is missing, by tables, and raises an alert for each pair. */
export async function checkReferences(em: EntityManager): Promise<Record<string, number>> {
  const broken: Record<string, number> = {};
  for (const [table, references] of Object.entries(newestReferences(em))) {
    const referred = REFERRED[table as keyof typeof REFERRED];
    const { n } = await kysely(em)
      .selectFrom(references.as('newest'))
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
