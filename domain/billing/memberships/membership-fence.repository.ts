import { expressionBuilder } from 'kysely';
import { jsonBuildObject } from 'kysely/helpers/postgres';
import type { EntityManager } from '../../../platform/database/database.ts';
import { anyOf, NOW } from '../../../platform/database/expressions.ts';
import { kysely, type Tables } from '../../kysely.ts';
import { RETURN_EVENTS } from '../processor-inbox/event-type.ts';
import { inBody, isUnfollowed } from '../processor-inbox/handled-event.repository.ts';
import { RECEIVED_STATUSES } from '../purchases/received-statuses.ts';
import type { OpenIntent, PaidCharge } from '../refunds/refund.repository.ts';
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
      fn.coalesce('membership.sessionId', sessionInEvents()).as('sessionId'),
      eb('membership.sessionExpiresAt', '<=', NOW).$castTo<boolean>().as('isSessionOver'),
      fn<PaidCharge[]>('array', [paidCharges()]).as('payments'),
      fn<OpenIntent[]>('array', [openIntents()]).as('intents'),
      fn<string[]>('array', [unfollowedEvents().select('processorEvent.id')]).as('eventIds'),
    ])
    .executeTakeFirst();
  if (!fence) throw new Error(`there is no membership ${membershipId}`);
  return fence;
}

const { selectFrom } = expressionBuilder<Tables, 'membership'>();

const events = () =>
  selectFrom('processorEvent').whereRef('processorEvent.membershipId', '=', 'membership.id');

const unfollowedEvents = () => events().where(isUnfollowed());

/** After a crash between the processor's response and our commit its events know the session. */
const sessionInEvents = () =>
  events()
    .select(inBody('data,object,id').as('sessionId'))
    .where('processorEvent.type', 'like', 'checkout.session.%')
    .limit(1);

const receivedPayments = () =>
  selectFrom('payment')
    .whereRef('payment.membershipId', '=', 'membership.id')
    .where('payment.status', 'in', RECEIVED_STATUSES);

const openRefunds = () =>
  receivedPayments()
    .innerJoin('refund', 'refund.paymentId', 'payment.id')
    .where('refund.status', 'in', ['requested', 'submitted']);

const openDisputes = () =>
  receivedPayments()
    .innerJoin('dispute', 'dispute.paymentId', 'payment.id')
    .where('dispute.status', 'in', ['warning', 'open']);

const returnEvents = () =>
  unfollowedEvents().where('processorEvent.type', '=', anyOf(RETURN_EVENTS));

// Every reading asks about a refund under way or an open dispute.
const paidCharges = () =>
  receivedPayments()
    .select(({ ref }) =>
      jsonBuildObject({
        paymentId: ref('payment.id'),
        processorId: ref('payment.processorId'),
        currency: ref('payment.currency'),
      }).as('charge'),
    )
    .where(({ exists, or }) =>
      or([
        exists(returnEvents().select('processorEvent.id')),
        exists(openRefunds().select('refund.id')),
        exists(openDisputes().select('dispute.id')),
      ]),
    )
    .orderBy('payment.id');

const openIntents = () =>
  openRefunds()
    .select(({ ref }) =>
      jsonBuildObject({
        refundId: ref('refund.id'),
        paymentId: ref('refund.paymentId'),
        amountMinor: ref('refund.amountMinor'),
        reason: ref('refund.reason'),
      }).as('intent'),
    )
    .where('refund.processorId', 'is', null)
    .orderBy('refund.createdAt')
    .orderBy('refund.id');
