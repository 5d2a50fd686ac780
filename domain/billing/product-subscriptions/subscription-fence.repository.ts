import { expressionBuilder } from 'kysely';
import type { EntityManager } from '../../../platform/database/database.ts';
import { anyOf } from '../../../platform/database/expressions.ts';
import { kysely, type Tables } from '../../kysely.ts';
import { SUBSCRIPTION_EVENTS } from '../processor-inbox/event-type.ts';
import { unhandledEventsOf } from '../processor-inbox/handled-event.repository.ts';
import type { SubscriptionStatus } from '../subscriptions/subscription-status.ts';
import type { RequestedChange } from '../subscriptions/change-request.repository.ts';

export type SubscriptionFence = {
  sequence: number;
  subscriptionId: string;
  purchaseId: string;
  productId: string;
  personId: string;
  status: SubscriptionStatus;
  processorId: string | null;
  requestedChange: RequestedChange | null;
  changeNumber: number;
  isClosing: boolean;
  /** The current owner's payout account; null when it cannot charge. */
  payoutAccount: string | null;
  /** The events before this number was taken: the reading that follows covers them. */
  eventIds: string[];
};

/** Takes the next sequence number, before the processor is asked how the subscription stands. */
export async function takeSubscriptionFence(
  em: EntityManager,
  subscriptionId: string,
): Promise<SubscriptionFence> {
  const fence = await kysely(em)
    .updateTable('subscription')
    .set(({ eb }) => ({ sequence: eb('subscription.sequence', '+', 1) }))
    .where('subscription.id', '=', subscriptionId)
    .returning(['subscription.sequence', 'subscription.id as subscriptionId'])
    .returning(['subscription.purchaseId', 'subscription.productId', 'subscription.personId'])
    .returning(['subscription.status', 'subscription.processorId'])
    .returning(['subscription.requestedChange', 'subscription.changeNumber'])
    .returning('subscription.isClosing')
    .returning(({ fn }) => [
      payoutAccount().as('payoutAccount'),
      fn<string[]>('array', [renewalEvents()]).as('eventIds'),
    ])
    .executeTakeFirst();
  if (!fence) throw new Error(`there is no subscription ${subscriptionId}`);
  return fence;
}

const { selectFrom } = expressionBuilder<Tables, 'subscription'>();

const payoutAccount = () =>
  selectFrom('product')
    .innerJoin('payoutAccount', (join) =>
      join.on(({ eb, or, ref }) =>
        or([
          eb('payoutAccount.personId', '=', ref('product.ownerPersonId')),
          eb('payoutAccount.teamId', '=', ref('product.ownerTeamId')),
        ]),
      ),
    )
    .select('payoutAccount.processorAccount')
    .whereRef('product.id', '=', 'subscription.productId')
    .where('payoutAccount.canCharge', '=', true);

const renewalEvents = () =>
  unhandledEventsOf('subscription')
    .select('processorEvent.id')
    .where('processorEvent.type', '=', anyOf(SUBSCRIPTION_EVENTS));
