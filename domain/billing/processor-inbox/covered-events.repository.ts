import { LockMode } from '@mikro-orm/core';
import { expressionBuilder, sql, type RawBuilder } from 'kysely';
import { raiseAlert } from '../../alerts/alert.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { CLOCK, fromNow, ago } from '../../../platform/database/expressions.ts';
import { kysely, type Tables } from '../../kysely.ts';
import { PAYMENT_NOT_RECEIVED, UNKNOWN_TYPE } from './event-type.ts';
import { ProcessorEvent } from './processor-event.entity.ts';

/**
 * A reading covers the statement's unhandled `processorEvent`. An event that is not understood
 * waits for an operator. An event whose state was not understood waits for a better reading. A
 * return event waits for the booking of its money, because the reading that books the money does
 * not ask about returns.
 */
function isUnhandled() {
  const { and, eb, or } = expressionBuilder<Tables, 'processorEvent'>();
  return and([
    eb('processorEvent.handledAt', 'is', null),
    or([
      eb('processorEvent.deadLetterReason', 'is', null),
      eb('processorEvent.deadLetterReason', 'not in', [UNKNOWN_TYPE, PAYMENT_NOT_RECEIVED]),
    ]),
  ]);
}

type Recipient = 'purchase' | 'subscription' | 'membership';

/** The events of the statement's purchase, subscription or membership. */
function eventsOf(recipient: Recipient) {
  const { selectFrom } = expressionBuilder<Tables, Recipient>();
  return selectFrom('processorEvent').whereRef(
    `processorEvent.${recipient}Id`,
    '=',
    `${recipient}.id`,
  );
}

export const unhandledEventsOf = (recipient: Recipient) => eventsOf(recipient).where(isUnhandled());

/**
 * Finds the session after a crash between the processor's response and our commit: its events name
 * it.
 */
export const sessionInEventsOf = (recipient: Recipient) =>
  eventsOf(recipient)
    .select(inBody('data,object,id').as('sessionId'))
    .where('processorEvent.type', 'like', 'checkout.session.%')
    .limit(1);

/** The text at a path in the body of the statement's `processorEvent`: `data,object,id`. */
export function inBody(path: string) {
  const { selectFrom } = expressionBuilder<Tables, 'processorEvent'>();
  const text = sql<string | null>`${sql.ref('content.body')} #>> ${`{${path}}`}::text[]`;
  return selectFrom('processorEventBody as content')
    .select(text.as('text'))
    .whereRef('content.id', '=', 'processorEvent.bodyId')
    .$asScalar();
}

/**
 * `askAgainAt` in the update of a purchase, a subscription or a membership whose workflow gets a
 * message: if the message is lost, reconciliation finds the row after ten minutes.
 */
export const ASKED_SOON_AT: RawBuilder<Date> = sql`least(${sql.ref('askAgainAt')}, ${fromNow('10 minutes')})`;

/** The purchase or membership of a reading. */
export type Subject = { purchaseId: string } | { membershipId: string };

/**
 * The response is not understood: the events stay in the inbox for an operator, and the purchase is
 * asked about again.
 */
export async function deadLetterEvents(
  em: EntityManager,
  letter: { processor: string; eventIds: string[]; reason: string } & Subject,
): Promise<void> {
  const { processor, eventIds, reason } = letter;
  await markDeadLettered(em, { processor, eventIds, reason });
  const [table, subject] =
    'purchaseId' in letter
      ? (['purchase', letter.purchaseId] as const)
      : (['membership', letter.membershipId] as const);
  await kysely(em)
    .updateTable(table)
    .set({ askAgainAt: fromNow('12 hours') })
    .where('id', '=', subject)
    .execute();
  await raiseAlert(em, { kind: 'processor_state', subject, detail: { reason } });
}

type CoveredEvents = { processor: string; eventIds: string[] };

/** Dead-letters the events with the reason. */
export async function markDeadLettered(
  em: EntityManager,
  { processor, eventIds, reason }: CoveredEvents & { reason: string },
): Promise<void> {
  const key = { processor, id: { $in: eventIds }, handledAt: null };
  await em.nativeUpdate(ProcessorEvent, key, { deadLetterReason: reason });
}

/**
 * Takes the first of all locks, so that two readings that cover the same events run one after the
 * other.
 */
export async function lockInbox(em: EntityManager, covered: CoveredEvents): Promise<void> {
  const { processor, eventIds } = covered;
  if (eventIds.length === 0) return;
  const key = { processor, id: { $in: eventIds } };
  await em.find(ProcessorEvent, key, {
    lockMode: LockMode.PESSIMISTIC_WRITE,
    orderBy: { id: 'asc' },
    fields: ['id'],
  });
}

/** Belongs in the transaction of the reading that covers the events. */
export async function markHandled(em: EntityManager, covered: CoveredEvents): Promise<void> {
  const { processor, eventIds } = covered;
  if (eventIds.length === 0) return;
  const key = { processor, id: { $in: eventIds }, handledAt: null };
  await em.nativeUpdate(ProcessorEvent, key, { handledAt: CLOCK, deadLetterReason: null });
}

const BATCH = 5_000;

/**
 * The processor repeats an event for days, and a reading replaces its content, so 90 days are
 * enough. True when more wait.
 */
export async function removeHandledEvents(em: EntityManager): Promise<boolean> {
  const removed = await kysely(em)
    .deleteFrom('processorEvent')
    .where(({ eb, or, refTuple, selectFrom }) =>
      eb(
        refTuple('processor', 'id'),
        'in',
        selectFrom('processorEvent')
          .select(['processor', 'id'])
          .where('handledAt', '<=', ago('90 days'))
          .where(or([eb('deadLetterReason', 'is', null), eb('setAsideAt', 'is not', null)]))
          .orderBy('handledAt')
          .limit(BATCH)
          .$asTuple('processor', 'id'),
      ),
    )
    .executeTakeFirst();
  return Number(removed.numDeletedRows) === BATCH;
}
