import type { EntityManager } from '../../../platform/database/database.ts';
import { anyOf, NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { RETURN_EVENTS } from '../processor-inbox/event-type.ts';
import {
  sessionInEventsOf,
  unhandledEventsOf,
} from '../processor-inbox/handled-event.repository.ts';
import {
  openIntentsOf,
  openRefundsOf,
  paidChargesOf,
  receivedPaymentsOf,
  type OpenIntent,
  type PaidCharge,
} from '../refunds/refund.repository.ts';
import type { SubscriptionStatus } from '../subscriptions/subscription-status.ts';
import type { RequestedChange } from '../subscriptions/change-request.repository.ts';

export type MembershipFence = {
  sequence: number;
  membershipId: string;
  status: SubscriptionStatus;
  processorId: string | null;
  sessionId: string | null;
  isSessionOver: boolean;
  requestedChange: RequestedChange | null;
  changeNumber: number;
  isClosing: boolean;
  /** Charges whose money arrived, when a return is reported or requested. */
  payments: PaidCharge[];
  intents: OpenIntent[];
  /** The events before this number was taken: the reading that follows covers them. */
  eventIds: string[];
};

/** Takes the next sequence number, before the processor is asked how the membership stands. */
export async function takeMembershipFence(
  em: EntityManager,
  membershipId: string,
): Promise<MembershipFence> {
  const fence = await kysely(em)
    .updateTable('membership')
    .set(({ eb }) => ({ sequence: eb('membership.sequence', '+', 1) }))
    .where('membership.id', '=', membershipId)
    .returning(['membership.id as membershipId', 'membership.sequence', 'membership.status'])
    .returning(['membership.processorId', 'membership.requestedChange'])
    .returning(['membership.changeNumber', 'membership.isClosing'])
    .returning(({ eb, fn }) => [
      fn.coalesce('membership.sessionId', sessionInEventsOf('membership')).as('sessionId'),
      eb('membership.sessionExpiresAt', '<=', NOW).$castTo<boolean>().as('isSessionOver'),
      fn<PaidCharge[]>('array', [chargesToAskAbout()]).as('payments'),
      fn<OpenIntent[]>('array', [openIntentsOf('membership')]).as('intents'),
      fn<string[]>('array', [unhandledEventsOf('membership').select('processorEvent.id')]).as(
        'eventIds',
      ),
    ])
    .executeTakeFirst();
  if (!fence) throw new Error(`there is no membership ${membershipId}`);
  return fence;
}

const openDisputes = () =>
  receivedPaymentsOf('membership')
    .innerJoin('dispute', 'dispute.paymentId', 'payment.id')
    .where('dispute.status', 'in', ['warning', 'open']);

const returnEvents = () =>
  unhandledEventsOf('membership').where('processorEvent.type', '=', anyOf(RETURN_EVENTS));

// Every reading asks about a refund under way or an open dispute.
const chargesToAskAbout = () =>
  paidChargesOf('membership').where(({ exists, or }) =>
    or([
      exists(returnEvents().select('processorEvent.id')),
      exists(openRefundsOf('membership').select('refund.id')),
      exists(openDisputes().select('dispute.id')),
    ]),
  );
