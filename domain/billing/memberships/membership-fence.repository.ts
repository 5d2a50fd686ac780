import { toArrayParameter } from '../../../platform/database/array-parameter.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { RETURN_EVENTS } from '../processor-inbox/event-type.ts';
import { UNFOLLOWED } from '../processor-inbox/handled-event.repository.ts';
import { RECEIVED } from '../purchases/received-statuses.ts';
import type { OpenIntent, PaidCharge } from '../refunds/refund-fence.repository.ts';
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
  /** What the processor said before this number was taken: the reading that follows covers it. */
  eventIds: string[];
};

type Row = Omit<MembershipFence, 'sequence' | 'payments' | 'intents' | 'eventIds'> & {
  sequence: string;
  payments: PaidCharge[] | null;
  intents: OpenIntent[] | null;
  eventIds: string[] | null;
};

const HAS_PAID = `y.membership_id = m.id and y.status in ${RECEIVED}`;

const INBOX = `processor_event e where e.membership_id = m.id and ${UNFOLLOWED}`;

// Every reading asks about a refund under way or an open dispute.
const IS_RETURNING = `(exists (select from ${INBOX} and e.type = any(?::text[]))
  or exists (select from refund r join payment y on y.id = r.payment_id
    where ${HAS_PAID} and r.status in ('requested', 'submitted'))
  or exists (select from dispute d join payment y on y.id = d.payment_id
    where ${HAS_PAID} and d.status in ('warning', 'open')))`;

const RETURNS = toArrayParameter(RETURN_EVENTS);

/** Takes the next sequence number, before the processor is asked how the membership stands. */
export async function takeMembershipFence(
  em: EntityManager,
  membershipId: string,
): Promise<MembershipFence> {
  const [row] = await rows<Row>(
    em,
    `update membership m set sequence = m.sequence + 1 where m.id = ?
     returning m.sequence, m.id as "membershipId", m.status, m.processor_id as "processorId",
       -- A crash between the processor's answer and our commit: its events know the session.
       coalesce(m.session_id, (select e.body #>> '{data,object,id}' from processor_event e
         where e.membership_id = m.id and e.type like 'checkout.session.%' limit 1)) as "sessionId",
       m.session_expires_at <= gatehouse_now() as "isSessionOver",
       m.requested_change as "requestedChange", m.change_number as "changeNumber", m.is_closing as "isClosing",
       (select json_agg(json_build_object('paymentId', y.id, 'processorId', y.processor_id,
          'currency', y.currency) order by y.id)
        from payment y where ${HAS_PAID} and ${IS_RETURNING}) as payments,
       (select json_agg(json_build_object('refundId', r.id, 'paymentId', r.payment_id,
          'amountMinor', r.amount_minor, 'reason', r.reason) order by r.created_at, r.id)
        from refund r join payment y on y.id = r.payment_id
        where ${HAS_PAID} and r.processor_id is null
          and r.status in ('requested', 'submitted')) as intents,
       (select json_agg(e.id) from ${INBOX}) as "eventIds"`,
    [membershipId, RETURNS],
  );
  if (!row) throw new Error(`there is no membership ${membershipId}`);
  const { payments, intents, eventIds } = row;
  return {
    ...row,
    sequence: Number(row.sequence),
    payments: payments ?? [],
    intents: intents ?? [],
    eventIds: eventIds ?? [],
  };
}
