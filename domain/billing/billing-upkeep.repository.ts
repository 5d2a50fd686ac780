import { rows, type EntityManager } from '../../platform/database/database.ts';

const BATCH = 5_000;

/**
 * The processor repeats an event for days, and a reading replaces its content, so 90 days are
 * enough. True when more wait.
 */
export async function removeHandledEvents(em: EntityManager): Promise<boolean> {
  const removed = await rows(
    em,
    `delete from processor_event where (processor, id) in (
       select processor, id from processor_event
       where handled_at <= gatehouse_now() - interval '90 days' and (dead_letter_reason is null or set_aside_at is not null)
       order by handled_at limit ${BATCH}
     ) returning 1`,
  );
  return removed.length === BATCH;
}

/** A purchase keeps its source in its own row. True when more wait. */
export async function removeOldClicks(em: EntityManager): Promise<boolean> {
  const removed = await rows(
    em,
    `delete from click where id in (
       select id from click where created_at <= gatehouse_now() - interval '400 days'
       order by created_at limit ${BATCH}
     ) returning 1`,
  );
  return removed.length === BATCH;
}
