import { toArrayParameter } from '../../../platform/database/array-parameter.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { SUBSCRIPTION_EVENTS } from '../processor-inbox/event-type.ts';
import { UNFOLLOWED } from '../processor-inbox/handled-event.repository.ts';
import type { SubscriptionStatus } from '../subscriptions/subscription-status.ts';
import type { RequestedChange } from '../subscriptions/change-request.repository.ts';

export type SubscriptionTicket = {
  ticket: number;
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
  /** Events before this sequence number: the reading that follows covers them. */
  eventIds: string[];
};

type Row = Omit<SubscriptionTicket, 'ticket' | 'eventIds'> & {
  ticket: string;
  eventIds: string[] | null;
};

const PAYOUT_ACCOUNT = `(select a.processor_account from product r
  join payout_account a on a.person_id = r.owner_person_id or a.team_id = r.owner_team_id
  where r.id = s.product_id and a.can_charge)`;

/** Takes the next sequence number before the processor is asked. */
export async function takeSubscriptionTicket(
  em: EntityManager,
  subscriptionId: string,
): Promise<SubscriptionTicket> {
  const [row] = await rows<Row>(
    em,
    `update subscription s set ticket = s.ticket + 1 where s.id = ?
     returning s.ticket, s.id as "subscriptionId", s.purchase_id as "purchaseId",
       s.product_id as "productId", s.person_id as "personId", s.status,
       s.processor_id as "processorId", s.requested_change as "requestedChange",
       s.change_number as "changeNumber", s.is_closing as "isClosing",
       ${PAYOUT_ACCOUNT} as "payoutAccount",
       (select json_agg(e.id) from processor_event e
        where e.subscription_id = s.id and e.type = any(?::text[]) and ${UNFOLLOWED})
         as "eventIds"`,
    [subscriptionId, toArrayParameter(SUBSCRIPTION_EVENTS)],
  );
  if (!row) throw new Error(`there is no subscription ${subscriptionId}`);
  return { ...row, ticket: Number(row.ticket), eventIds: row.eventIds ?? [] };
}
