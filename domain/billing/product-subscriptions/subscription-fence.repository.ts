import { toArrayParameter } from '../../../platform/database/array-parameter.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { SUBSCRIPTION_EVENTS } from '../processor-inbox/event-type.ts';
import { UNFOLLOWED } from '../processor-inbox/handled-event.repository.ts';
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
  /** What the processor said before this number was taken: the reading that follows covers it. */
  eventIds: string[];
};

type Row = Omit<SubscriptionFence, 'sequence' | 'eventIds'> & {
  sequence: string;
  eventIds: string[] | null;
};

const PAYOUT_ACCOUNT = `(select a.processor_account from product r
  join payout_account a on a.person_id = r.owner_person_id or a.team_id = r.owner_team_id
  where r.id = s.product_id and a.can_charge)`;

/** Takes the next sequence number, before the processor is asked how the subscription stands. */
export async function takeSubscriptionFence(
  em: EntityManager,
  subscriptionId: string,
): Promise<SubscriptionFence> {
  const [row] = await rows<Row>(
    em,
    `update subscription s set sequence = s.sequence + 1 where s.id = ?
     returning s.sequence, s.id as "subscriptionId", s.purchase_id as "purchaseId",
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
  return { ...row, sequence: Number(row.sequence), eventIds: row.eventIds ?? [] };
}
