import { LockMode } from '@mikro-orm/core';
import { raiseAlert } from '../../alerts/alert.repository.ts';
import { now, rows, type EntityManager } from '../../../platform/database/database.ts';
import { PAYMENT_NOT_RECEIVED, UNKNOWN_TYPE } from './event-type.ts';
import { ProcessorEvent } from './processor-event.entity.ts';

/**
 * In SQL: that a reading covers an event `e` that nobody has followed. One that is not understood as an
 * event waits for a human; one whose state was not, for a better reading; one of money's way back, until
 * the money is booked: a reading that books it does not ask after its return.
 */
export const UNFOLLOWED = `e.handled_at is null and (e.parked_reason is null
  or e.parked_reason not in ('${UNKNOWN_TYPE}', '${PAYMENT_NOT_RECEIVED}'))`;

/** What the processor was asked about. */
export type Subject = { purchaseId: string } | { membershipId: string };

/**
 * The processor said what this code does not understand: its words stay in the inbox for a human,
 * and the purchase is asked about again.
 */
export async function parkEvents(
  em: EntityManager,
  parked: { processor: string; eventIds: string[]; reason: string } & Subject,
): Promise<void> {
  const { processor, eventIds, reason } = parked;
  const isOfPurchase = 'purchaseId' in parked;
  const table = isOfPurchase ? 'purchase' : 'membership';
  const subject = isOfPurchase ? parked.purchaseId : parked.membershipId;
  await markParked(em, { processor, eventIds, reason });
  await rows(
    em,
    `update ${table} set ask_again_at = gatehouse_now() + interval '12 hours' where id = ?`,
    [subject],
  );
  await raiseAlert(em, { kind: 'processor_state', subject, detail: { reason } });
}

type Covered = { processor: string; eventIds: string[] };

/** They wait for a human, with what is wrong with them. */
export async function markParked(
  em: EntityManager,
  { processor, eventIds, reason }: Covered & { reason: string },
): Promise<void> {
  const key = { processor, id: { $in: eventIds }, handledAt: null };
  await em.nativeUpdate(ProcessorEvent, key, { parkedReason: reason });
}

/** First of all locks: two readings that cover the same words go one after the other. */
export async function lockInbox(em: EntityManager, covered: Covered): Promise<void> {
  const { processor, eventIds } = covered;
  if (eventIds.length === 0) return;
  const key = { processor, id: { $in: eventIds } };
  await em.find(ProcessorEvent, key, {
    lockMode: LockMode.PESSIMISTIC_WRITE,
    orderBy: { id: 'asc' },
    fields: ['id'],
  });
}

/** In the transaction of the work that they asked for. */
export async function markHandled(em: EntityManager, covered: Covered): Promise<void> {
  const { processor, eventIds } = covered;
  if (eventIds.length === 0) return;
  const key = { processor, id: { $in: eventIds }, handledAt: null };
  await em.nativeUpdate(ProcessorEvent, key, { handledAt: await now(em), parkedReason: null });
}
