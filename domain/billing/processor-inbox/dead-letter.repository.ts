import type { NotNull } from 'kysely';
import type { EntityManager } from '../../../platform/database/database.ts';
import { anyOf, CLOCK } from '../../../platform/database/expressions.ts';
import { toPage } from '../../../platform/database/to-page.ts';
import { kysely } from '../../kysely.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { isDue, namedByEvent } from './early-event.repository.ts';
import { PAYMENT_NOT_RECEIVED, SUBSCRIPTION_EVENTS } from './event-type.ts';
import { notifyRecipient, type Recipient } from './inbox.repository.ts';
import { ProcessorEvent } from './processor-event.entity.ts';
import { withdrawOverAlerts } from './withdraw-ended-alerts.query.ts';

export type EventKey = { processor: string; id: string };

/** `next` is the last one shown, where older ones follow. */
export type DeadLetterPage = Awaited<ReturnType<typeof listDeadLetters>>;

const PAGE = 50;

const lines = (em: EntityManager) =>
  kysely(em)
    .selectFrom('processorEvent')
    .select(['processorEvent.processor', 'processorEvent.id', 'processorEvent.type'])
    .select(['processorEvent.purchaseId', 'processorEvent.deadLetterReason as reason'])
    .select('processorEvent.receivedAt');

/** Events that wait for a person to decide, the newest first. */
export async function listDeadLetters(em: EntityManager, before: string | null) {
  const found = await lines(em)
    .where('processorEvent.deadLetterReason', 'is not', null)
    .where('processorEvent.handledAt', 'is', null)
    .$if(before !== null, (events) =>
      events.where(({ eb, refTuple, selectFrom }) =>
        eb(
          refTuple('processorEvent.receivedAt', 'processorEvent.id'),
          '<',
          selectFrom('processorEvent as shown')
            .select(['shown.receivedAt', 'shown.id'])
            .where('shown.id', '=', before)
            .limit(1)
            .$asTuple('receivedAt', 'id'),
        ),
      ),
    )
    .orderBy('processorEvent.receivedAt', 'desc')
    .orderBy('processorEvent.id', 'desc')
    .limit(PAGE + 1)
    .$narrowType<{ reason: NotNull }>()
    .execute();
  return toPage(found, PAGE, ({ id }) => id);
}

export type DeadLetter = NonNullable<Awaited<ReturnType<typeof findProcessorEvent>>>;

/** Finds one event with its content; null for an unknown id. */
export async function findProcessorEvent(em: EntityManager, { processor, id }: EventKey) {
  const found = await lines(em)
    .innerJoin('processorEventBody', 'processorEventBody.id', 'processorEvent.bodyId')
    .leftJoin('person', 'person.id', 'processorEvent.setAsideBy')
    .select(['processorEventBody.body', 'processorEvent.handledAt'])
    .select(['processorEvent.setAsideAt as at', 'processorEvent.setAsideNote as note'])
    .select('person.handle as by')
    .where('processorEvent.processor', '=', processor)
    .where('processorEvent.id', '=', id)
    .executeTakeFirst();
  if (!found) return null;
  const { handledAt, at, by, note, ...event } = found;
  const setAside = at && by !== null && note !== null ? { at, by, note } : null;
  return { ...event, isWaiting: handledAt === null && event.reason !== null, setAside };
}

/** Hands a dead-lettered event to its purchase's actor once more; refused where it cannot be. */
export async function tryEventAgain(
  em: EntityManager,
  { processor, id }: EventKey,
): Promise<Refusal<'unchanged' | 'unknown_purchase'> | null> {
  const event = await kysely(em)
    .selectFrom('processorEvent')
    .leftJoinLateral(namedByEvent().as('named'), (join) => join.onTrue())
    .select(({ fn }) => [
      fn.coalesce('processorEvent.purchaseId', 'named.purchaseId').as('purchaseId'),
      fn.coalesce('processorEvent.membershipId', 'named.membershipId').as('membershipId'),
    ])
    .where('processorEvent.processor', '=', processor)
    .where('processorEvent.id', '=', id)
    .where('processorEvent.deadLetterReason', 'is not', null)
    .where('processorEvent.handledAt', 'is', null)
    .limit(1)
    .forUpdate('processorEvent')
    .executeTakeFirst();
  if (!event) return refuse('unchanged');
  if (event.purchaseId === null && event.membershipId === null) return refuse('unknown_purchase');
  await notifyRecipient(em, await assign(em, { processor, id, ...event }), 'tried_again');
  await withdrawOverAlerts(em, ['event_dead_lettered']);
  return null;
}

/** An event about the return of money that has not arrived goes on waiting for it. */
async function assign(
  em: EntityManager,
  { processor, id, ...event }: EventKey & Omit<Recipient, 'subscriptionId'>,
): Promise<Recipient> {
  return kysely(em)
    .updateTable('processorEvent')
    .set(({ eb, not, selectFrom, val }) => ({
      ...event,
      subscriptionId: selectFrom('subscription')
        .select('subscription.id')
        .where('subscription.purchaseId', '=', event.purchaseId)
        .where(eb('processorEvent.type', '=', anyOf(SUBSCRIPTION_EVENTS))),
      deadLetterReason: eb.case().when(not(isDue())).then(val(PAYMENT_NOT_RECEIVED)).end(),
    }))
    .where('processor', '=', processor)
    .where('id', '=', id)
    .returning(['purchaseId', 'subscriptionId', 'membershipId'])
    .executeTakeFirstOrThrow();
}

/** False when the event does not wait any more: of two operators at once, one decides. */
export async function setEventAside(
  em: EntityManager,
  { processor, id, personId, note }: EventKey & { personId: string; note: string },
): Promise<boolean> {
  const waiting = { processor, id, deadLetterReason: { $ne: null }, handledAt: null };
  const setAside = { setAsideAt: CLOCK, setAsideBy: personId, setAsideNote: note };
  const decided = await em.nativeUpdate(ProcessorEvent, waiting, {
    handledAt: CLOCK,
    ...setAside,
  });
  const isDecided = decided === 1;
  if (isDecided) await withdrawOverAlerts(em, ['event_dead_lettered']);
  return isDecided;
}
