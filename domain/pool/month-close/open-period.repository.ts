import type { InferEntity } from '@mikro-orm/core';
import {
  LOCK,
  now,
  type Database,
  type EntityManager,
} from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';
import { spanOf } from '../period/pool-month.ts';
import { hasPayableLines } from '../payout-lines/owner-money.repository.ts';
import { PoolFilePart, PoolPeriod } from '../period/pool-period.entity.ts';
import { newestPoolSetting } from '../period/setting.repository.ts';

export type PeriodRow = InferEntity<typeof PoolPeriod>;

/** Another call has frozen the period, or has read all of its Members. */
export class NotOpen extends Error {
  override name = 'NotOpen';
}

/**
 * Sets once when the freeze began and the share of the fees. Months of a currency are frozen one after
 * the other: two at once would both correct the same month.
 */
export async function beginFreeze(em: EntityManager, periodId: string): Promise<PeriodRow> {
  const period = await em.findOneOrFail(PoolPeriod, { id: periodId }, LOCK);
  if (period.status !== 'open') return period;
  const { currency, month } = period;
  const earlier = await em.count(PoolPeriod, { currency, status: 'open', month: { $lt: month } });
  if (earlier > 0)
    throw new Error(`an earlier month of ${currency} than ${periodId} is still open`);
  period.freezeBeganAt ??= await now(em);
  period.poolShareBps ??= await readShareBps(em, month);
  return period;
}

/** What is in force at the month's end. */
export async function readShareBps(em: EntityManager, month: string): Promise<number> {
  const { poolShareBps } = await newestPoolSetting(em)
    .where('since', '<', spanOf(month.slice(0, 7)).until)
    .executeTakeFirstOrThrow();
  return poolShareBps;
}

/** A change of an open period in a transaction, which its end waits for. */
export async function whileOpen<Result>(
  database: Database,
  { periodId, work }: { periodId: string; work: (em: EntityManager) => Promise<Result> },
): Promise<Result> {
  return database.transaction(async (em) => {
    const { status } = await kysely(em)
      .selectFrom('poolPeriod')
      .select('status')
      .where('id', '=', periodId)
      .forShare()
      .executeTakeFirstOrThrow();
    if (status !== 'open') throw new NotOpen(periodId);
    return work(em);
  });
}

// The first part of the snapshot is inserted empty once all Members are kept: from then on none is
// added, so that whoever writes the snapshot, and however often, writes the same.
const FIRST_PART = { file: 'snapshot', number: 0 } as const;

/** All Members and corrections of the period are kept. */
export async function isInputClosed(em: EntityManager, periodId: string): Promise<boolean> {
  return (await em.count(PoolFilePart, { periodId, ...FIRST_PART })) > 0;
}

/** A change of what the snapshot will hold: none is made once the input is closed. */
export function whileInputOpen(
  database: Database,
  { periodId, work }: { periodId: string; work: (em: EntityManager) => Promise<void> },
): Promise<void> {
  return whileOpen(database, {
    periodId,
    async work(em) {
      if (await isInputClosed(em, periodId)) throw new NotOpen(periodId);
      await work(em);
    },
  });
}

/** The lock waits for batches under way; later ones find the input closed. */
export async function closeInput(em: EntityManager, periodId: string): Promise<PeriodRow> {
  const period = await em.findOneOrFail(PoolPeriod, { id: periodId }, LOCK);
  if (period.status !== 'open' || (await isInputClosed(em, periodId))) return period;
  // A month without charges is settled too when it can pay what waited.
  const isEmpty = await hasNothing(em, periodId);
  if (isEmpty && !(await hasPayableLines(em, period.currency))) {
    period.status = 'empty';
    await removePreview(em, periodId);
  } else em.create(PoolFilePart, { periodId, ...FIRST_PART, bytes: Buffer.alloc(0) });
  return period;
}

async function hasNothing(em: EntityManager, periodId: string): Promise<boolean> {
  for (const table of ['poolMember', 'poolCorrection'] as const) {
    const [row] = await kysely(em)
      .selectFrom(table)
      .select('periodId')
      .where('periodId', '=', periodId)
      .limit(1)
      .execute();
    if (row) return false;
  }
  return true;
}

export async function removePreview(em: EntityManager, periodId: string): Promise<void> {
  await kysely(em).deleteFrom('poolPreview').where('periodId', '=', periodId).execute();
}
