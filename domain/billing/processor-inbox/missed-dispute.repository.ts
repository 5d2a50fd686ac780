import { now, type EntityManager } from '../../../platform/database/database.ts';
import { anyOf } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { DAY_MS } from '../../shared/instant.ts';
import { recordProcessorEvent } from './inbox.repository.ts';

/** Open to the present, because the processor's clock may be ahead of ours. */
export type Span = { from: Date; to: Date | null };

export type ListedDispute = { processorId: string; paymentIntentId: string };

const LIST = 'disputes';

// The processor has another clock, and its lists may lag behind.
const OVERLAP_MS = DAY_MS;

// A long gap is caught up with run by run.
const MOST_AT_ONCE_MS = 30 * DAY_MS;

/**
 * The span in which newly opened disputes are listed: from a day before the last look, at first
 * from the oldest payment. Null when nothing was ever paid.
 */
export async function findUnseenSpan(em: EntityManager, processor: string) {
  const { seenUntil } = await kysely(em)
    .selectNoFrom(({ fn, selectFrom }) =>
      fn
        .coalesce(
          selectFrom('processorMark')
            .select('seenUntil')
            .where('processor', '=', processor)
            .where('list', '=', LIST),
          selectFrom('payment').select(({ fn: { min } }) => min('createdAt').as('paidAt')),
        )
        .as('seenUntil'),
    )
    .executeTakeFirstOrThrow();
  if (seenUntil === null) return null;
  const seenMs = seenUntil.getTime();
  const [nowMs, mostMs] = [(await now(em)).getTime(), seenMs + MOST_AT_ONCE_MS];
  const from = new Date(seenMs - OVERLAP_MS);
  if (nowMs <= mostMs) return { from, to: null, seenUntil: new Date(nowMs) };
  return { from, to: new Date(mostMs), seenUntil: new Date(mostMs) };
}

/**
 * Puts a dispute without an event into the inbox as if its event had come. The mark moves in the
 * same transaction.
 */
export async function recordListedDisputes(
  em: EntityManager,
  seen: { processor: string; listed: ListedDispute[]; seenUntil: Date },
): Promise<number> {
  const { processor, listed, seenUntil } = seen;
  const unknown = await findUnknown(em, listed);
  for (const { processorId, paymentIntentId } of unknown) {
    const id = `found_${processorId}`;
    const type = 'charge.dispute.created';
    const object = { id: processorId, object: 'dispute', payment_intent: paymentIntentId };
    const body = { id, object: 'event', type, data: { object } };
    const event = { processor, id, type, purchaseId: null, paymentIntentId, body };
    await recordProcessorEvent(em, event);
  }
  await kysely(em)
    .insertInto('processorMark')
    .values({ processor, list: LIST, seenUntil })
    .onConflict((conflict) =>
      conflict.columns(['processor', 'list']).doUpdateSet(({ fn, ref }) => ({
        seenUntil: fn<Date>('greatest', [
          ref('processorMark.seenUntil'),
          ref('excluded.seenUntil'),
        ]),
      })),
    )
    .execute();
  return unknown.length;
}

/** Disputes of known payments that have no row yet. */
async function findUnknown(em: EntityManager, listed: ListedDispute[]): Promise<ListedDispute[]> {
  if (listed.length === 0) return [];
  const payments = await kysely(em)
    .selectFrom('payment')
    .select('processorId')
    .where('processorId', '=', anyOf(listed.map(({ paymentIntentId }) => paymentIntentId)))
    .execute();
  const disputes = await kysely(em)
    .selectFrom('dispute')
    .select('processorId')
    .where('processorId', '=', anyOf(listed.map(({ processorId }) => processorId)))
    .execute();
  const paid = new Set(payments.map(({ processorId }) => processorId));
  const known = new Set(disputes.map(({ processorId }) => processorId));
  return listed.filter(
    ({ paymentIntentId, processorId }) => paid.has(paymentIntentId) && !known.has(processorId),
  );
}
