// What the demo sees of the pool's months, and how it sets them going: by the workflows themselves.
import { Client, Connection } from '@temporalio/client';
import { kysely } from '../../../domain/kysely.ts';
import { approvePeriod } from '../../../domain/pool/period/approve-period.repository.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import type { Database, EntityManager } from '../../../platform/database/database.ts';
import { waitUntil } from '../../process/run.ts';

/** The Schedule that opens the months, once a day. */
const OPENING = 'poolMonths';
const ENDED = ['paid', 'empty'];

/** Opens the months now, and not at night. False while the worker has not made the Schedule. */
export async function openMonths(address: string): Promise<boolean> {
  const connection = Connection.lazy({ address });
  try {
    await new Client({ connection }).schedule.getHandle(OPENING).trigger();
    return true;
  } catch {
    return false;
  } finally {
    await connection.close();
  }
}

export const findPeriod = (em: EntityManager, periodId: string) =>
  kysely(em).selectFrom('poolPeriod').selectAll().where('id', '=', periodId).executeTakeFirst();

type Until = { periodId: string; status: string; timeoutMs: number; signal?: AbortSignal };

/** Returns each status that was seen on the way. */
export async function untilStatus(
  database: Database,
  { periodId, status, timeoutMs, signal }: Until,
): Promise<string[]> {
  const seen: string[] = [];
  let problem: string | null = null;
  const hasCome = async () => {
    const period = await findPeriod(database.em(), periodId);
    problem = period?.problem ?? null;
    if (period && seen.at(-1) !== period.status) seen.push(period.status);
    return seen.includes(status) || ENDED.includes(seen.at(-1) ?? '');
  };
  const what = `The step of ${periodId} to ${status}`;
  try {
    await waitUntil(hasCome, { what, timeoutMs, ...(signal && { signal }) });
  } catch (error) {
    throw problem === null ? error : new Error(`${periodId} stopped: ${problem}`, { cause: error });
  }
  return seen;
}

/** Approves as the console does it for the operator. */
export async function approveMonth(
  database: Database,
  month: { periodId: string; byId: string },
): Promise<void> {
  const approved = await database.transaction((em) => approvePeriod(em, month));
  if (isRefusal(approved)) throw new Error(`${month.periodId}: ${approved.refused}`);
}
