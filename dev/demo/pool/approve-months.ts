// Two of the demo's past months are approved and paid, and one waits for whoever tries it.
import { ENTITIES } from '../../../domain/entities.ts';
import { kysely } from '../../../domain/kysely.ts';
import { now, openDatabase, type Database } from '../../../platform/database/database.ts';
import { waitUntil } from '../../process/run.ts';
import { STORE_CURRENCY } from './members.ts';
import { approveMonth, openMonths, untilStatus } from './periods.ts';

const APPROVED = 2;
const TIMEOUT_MS = 60_000;

type Options = {
  databaseUrl: string;
  temporalAddress: string;
  /** The demo's operator. */
  operatorId: string;
  signal: AbortSignal;
};

/**
 * Approves once: a start with two approved months changes nothing. Belongs after the start of the
 * worker.
 */
export async function approveMonths(options: Options): Promise<void> {
  const { databaseUrl: url, signal } = options;
  const database = openDatabase({ url, listenUrl: url, name: 'demo', entities: ENTITIES });
  try {
    await approve({ ...options, database });
  } catch (error) {
    if (signal.aborted) return;
    const reason = error instanceof Error ? error.message : String(error);
    console.log(`The demo's months of the creator pool wait: ${reason}`);
  } finally {
    await database.close();
  }
}

async function approve(options: Options & { database: Database }): Promise<void> {
  const { database, temporalAddress, operatorId: byId, signal } = options;
  if ((await readMonths(database)).approved >= APPROVED) return;
  const wait = { timeoutMs: TIMEOUT_MS, signal };
  const what = 'The Schedule of the pool';
  await waitUntil(() => openMonths(temporalAddress), { what, ...wait });
  const isOpened = async () => (await readMonths(database)).due.length > 0;
  await waitUntil(isOpened, { what: 'The first months of the pool', ...wait });
  const { due, approved } = await readMonths(database);
  // The newest one is left.
  for (const periodId of due.slice(0, -1).slice(0, APPROVED - approved)) {
    await untilStatus(database, { periodId, status: 'in_review', ...wait });
    await approveMonth(database, { periodId, byId });
  }
}

/**
 * Counts in the store's currency the months that were approved, and lists the past ones that were
 * not.
 */
async function readMonths(database: Database): Promise<{ approved: number; due: string[] }> {
  const em = database.em();
  const at = await now(em);
  const months = await kysely(em)
    .selectFrom('poolPeriod')
    .select(['id', 'approvedAt', 'status', 'freezeDueAt'])
    .where('currency', '=', STORE_CURRENCY)
    .orderBy('id')
    .execute();
  const isDue = (month: (typeof months)[number]) =>
    month.approvedAt === null && month.status !== 'empty' && month.freezeDueAt <= at;
  return {
    approved: months.filter(({ approvedAt }) => approvedAt !== null).length,
    due: months.filter(isDue).map(({ id }) => id),
  };
}
