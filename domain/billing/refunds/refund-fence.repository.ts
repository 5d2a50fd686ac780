import { toArrayParameter } from '../../../platform/database/array-parameter.ts';
import { REFUND_EVENTS } from '../processor-inbox/event-type.ts';
import { UNFOLLOWED } from '../processor-inbox/handled-event.repository.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { RECEIVED } from '../purchases/received-statuses.ts';
import type { IntentReason } from './refund-status.ts';

export type PaidCharge = { paymentId: string; processorId: string; currency: string };

export type OpenIntent = {
  refundId: string;
  paymentId: string;
  amountMinor: number;
  reason: IntentReason | null;
};

export type RefundFence = {
  sequence: number;
  productId: string;
  personId: string;
  /** Charges whose money arrived: only they can be returned. */
  payments: PaidCharge[];
  /** Requested refunds that the processor does not have, as far as we know. */
  intents: OpenIntent[];
  eventIds: string[];
};

const REFUND_TYPES = toArrayParameter(REFUND_EVENTS);

/** SQL: unhandled refund events. */
const RETURN_RECEIVED = `e.type = any(?::text[]) and ${UNFOLLOWED}`;

/** Takes the next sequence number, before the processor is asked what has gone back. */
export async function takeRefundFence(em: EntityManager, purchaseId: string): Promise<RefundFence> {
  const [row] = await rows<{
    sequence: string;
    product_id: string;
    person_id: string;
    payments: PaidCharge[] | null;
    intents: OpenIntent[] | null;
    event_ids: string[] | null;
  }>(
    em,
    `update purchase p set sequence = p.sequence + 1 where p.id = ?
     returning p.sequence, p.product_id, p.person_id,
       (select json_agg(json_build_object('paymentId', y.id, 'processorId', y.processor_id,
          'currency', y.currency) order by y.id)
        from payment y where y.purchase_id = p.id and y.status in ${RECEIVED}) as payments,
       (select json_agg(json_build_object('refundId', r.id, 'paymentId', r.payment_id,
          'amountMinor', r.amount_minor, 'reason', r.reason) order by r.created_at, r.id)
        from refund r join payment y on y.id = r.payment_id
        where y.purchase_id = p.id and y.status in ${RECEIVED} and r.processor_id is null
          and r.status in ('requested', 'submitted')) as intents,
       (select json_agg(e.id) from processor_event e
        where e.purchase_id = p.id and ${RETURN_RECEIVED}) as event_ids`,
    [purchaseId, REFUND_TYPES],
  );
  if (!row) throw new Error(`there is no purchase ${purchaseId}`);
  return {
    sequence: Number(row.sequence),
    productId: row.product_id,
    personId: row.person_id,
    payments: row.payments ?? [],
    intents: row.intents ?? [],
    eventIds: row.event_ids ?? [],
  };
}

/** Something asks for the processor's word on refunds: a request, one under way, or its own message. */
export async function isRefundAwaited(em: EntityManager, purchaseId: string): Promise<boolean> {
  const found = await rows(
    em,
    `select 1 from refund r join payment y on y.id = r.payment_id
     where y.purchase_id = ? and y.status in ${RECEIVED} and r.status in ('requested', 'submitted')
     union all select 1 from processor_event e
     where e.purchase_id = ? and ${RETURN_RECEIVED} and e.dead_letter_reason is null limit 1`,
    [purchaseId, purchaseId, REFUND_TYPES],
  );
  return found.length > 0;
}
