import { toArrayParameter } from '../../../platform/database/array-parameter.ts';
import { now, rows, type EntityManager } from '../../../platform/database/database.ts';
import { recordProcessorEvent } from './inbox.repository.ts';

/** Open to the present, because the processor's clock may be ahead of ours. */
export type Span = { from: Date; to: Date | null };

export type ListedDispute = { processorId: string; paymentIntentId: string };

const LIST = 'disputes';
const DAY_MS = 86_400_000;

// The processor has another clock, and its lists may lag behind.
const OVERLAP_MS = DAY_MS;

// A long gap is caught up with run by run.
const MOST_AT_ONCE_MS = 30 * DAY_MS;

/**
 * The span in which newly opened disputes are listed: from a day before the last look, at first
 * from the oldest payment. Null when nothing was ever paid.
 */
export async function findUnseenSpan(
  em: EntityManager,
  processor: string,
): Promise<(Span & { seenUntil: Date }) | null> {
  const [row] = await rows<{ seenUntil: Date | string | null }>(
    em,
    `select coalesce(
       (select seen_until from processor_mark where processor = ? and list = ?),
       (select min(created_at) from payment)) as "seenUntil"`,
    [processor, LIST],
  );
  if (!row?.seenUntil) return null;
  const seenMs = new Date(row.seenUntil).getTime();
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
  await rows(
    em,
    `insert into processor_mark (processor, list, seen_until) values (?, ?, ?)
     on conflict (processor, list) do update
       set seen_until = greatest(processor_mark.seen_until, excluded.seen_until)`,
    [processor, LIST, seenUntil],
  );
  return unknown.length;
}

async function findUnknown(em: EntityManager, listed: ListedDispute[]): Promise<ListedDispute[]> {
  if (listed.length === 0) return [];
  const intents = toArrayParameter(listed.map(({ paymentIntentId }) => paymentIntentId));
  const disputes = toArrayParameter(listed.map(({ processorId }) => processorId));
  return rows<ListedDispute>(
    em,
    `select l.dispute as "processorId", l.intent as "paymentIntentId"
     from unnest(?::text[], ?::text[]) l (dispute, intent)
     where exists (select from payment where processor_id = l.intent)
       and not exists (select from dispute where processor_id = l.dispute)`,
    [disputes, intents],
  );
}
