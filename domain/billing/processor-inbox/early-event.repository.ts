import { expressionBuilder, sql } from 'kysely';
import type { EntityManager } from '../../../platform/database/database.ts';
import { anyOf } from '../../../platform/database/expressions.ts';
import { kysely, type Tables } from '../../kysely.ts';
import { RECEIVED_STATUSES } from '../purchases/payment-status.ts';
import {
  PAYMENT_NOT_RECEIVED,
  RETURN_EVENTS,
  SUBSCRIPTION_EVENTS,
  UNKNOWN_PURCHASE,
} from './event-type.ts';
import { inBody } from './covered-events.repository.ts';
import { notifyRecipient } from './inbox.repository.ts';

const OBJECT = inBody('data,object,id');
const INTENT = inBody('data,object,payment_intent');
const OF_INVOICE = inBody('data,object,parent,subscription_details,subscription');

/**
 * The statement's `processorEvent` names its purchase or membership, or a payment or a subscription
 * of it, in its metadata or as its object.
 */
export function namedByEvent() {
  const { selectFrom } = expressionBuilder<Tables, 'processorEvent'>();
  return selectFrom(sql<{ one: 1 }>`(select 1)`.as('single'))
    .leftJoin('purchase', (join) =>
      join.on('purchase.id', '=', inBody('data,object,metadata,purchase_id')),
    )
    .leftJoin('payment', (join) => join.on('payment.processorId', 'in', [INTENT, OBJECT]))
    .leftJoin('subscription', (join) =>
      join.on('subscription.processorId', 'in', [OBJECT, OF_INVOICE]),
    )
    .leftJoin('membership', (join) =>
      join.on(({ cast, eb, or }) =>
        or([
          eb(cast('membership.id', 'text'), '=', inBody('data,object,metadata,membership_id')),
          eb('membership.processorId', 'in', [OBJECT, OF_INVOICE]),
        ]),
      ),
    )
    .select(({ fn }) => [
      fn.coalesce('purchase.id', 'payment.purchaseId', 'subscription.purchaseId').as('purchaseId'),
      fn.coalesce('membership.id', 'payment.membershipId').as('membershipId'),
    ])
    .where(({ eb, fn, or }) =>
      or([
        eb(
          fn.coalesce('purchase.id', 'payment.purchaseId', 'subscription.purchaseId'),
          'is not',
          null,
        ),
        eb(fn.coalesce('membership.id', 'payment.membershipId'), 'is not', null),
      ]),
    )
    .limit(1);
}

/**
 * The statement's `processorEvent` may be handled: it is no return event, or belongs to no known
 * payment, or its money has arrived.
 */
export function isDue() {
  const { eb, exists, not, or, selectFrom } = expressionBuilder<Tables, 'processorEvent'>();
  const received = selectFrom('payment')
    .select('payment.id')
    .where('payment.processorId', '=', INTENT)
    .where('payment.status', 'in', RECEIVED_STATUSES);
  return or([
    not(eb('processorEvent.type', '=', anyOf(RETURN_EVENTS))),
    eb(INTENT, 'is', null),
    exists(received),
  ]);
}

const AT_ONCE = 100;

/**
 * Assigns early events: events whose purchase is known by now, and return events whose money has
 * arrived, go to the workflow of the purchase.
 */
export async function adoptEvents(
  em: EntityManager,
  only: { paymentIntentId: string } | null = null,
): Promise<number> {
  const adopted = await kysely(em)
    .updateTable('processorEvent as adopted')
    .from(({ selectFrom }) =>
      selectFrom('processorEvent')
        .innerJoinLateral(namedByEvent().as('named'), (join) => join.onTrue())
        .select(['processorEvent.processor', 'processorEvent.id'])
        .select(['named.purchaseId', 'named.membershipId'])
        .select((event) =>
          event
            .selectFrom('subscription')
            .select('subscription.id')
            .whereRef('subscription.purchaseId', '=', 'named.purchaseId')
            .where(event('processorEvent.type', '=', anyOf(SUBSCRIPTION_EVENTS)))
            .as('subscriptionId'),
        )
        .where('processorEvent.deadLetterReason', 'in', [UNKNOWN_PURCHASE, PAYMENT_NOT_RECEIVED])
        .where('processorEvent.handledAt', 'is', null)
        .where(isDue())
        .$if(only !== null, (events) => events.where(INTENT, '=', only!.paymentIntentId))
        .orderBy('processorEvent.receivedAt')
        .orderBy('processorEvent.id')
        .limit(AT_ONCE)
        .forUpdate('processorEvent')
        .skipLocked()
        .as('found'),
    )
    .set(({ ref }) => ({
      purchaseId: ref('found.purchaseId'),
      subscriptionId: ref('found.subscriptionId'),
      membershipId: ref('found.membershipId'),
      deadLetterReason: null,
    }))
    .whereRef('adopted.processor', '=', 'found.processor')
    .whereRef('adopted.id', '=', 'found.id')
    .returning(['adopted.purchaseId', 'adopted.subscriptionId', 'adopted.membershipId'])
    .execute();
  for (const recipient of adopted) await notifyRecipient(em, recipient, 'processor_event');
  return adopted.length;
}
