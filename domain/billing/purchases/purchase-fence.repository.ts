import { toArrayParameter } from '../../../platform/database/array-parameter.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { HAS_OPEN_DISPUTE } from '../disputes/dispute-list.repository.ts';
import {
  DISPUTE_EVENTS,
  RETURN_EVENTS,
  SUBSCRIPTION_EVENTS,
} from '../processor-inbox/event-type.ts';
import { UNFOLLOWED } from '../processor-inbox/handled-event.repository.ts';
import type { PurchaseStatus } from './purchase-status.ts';

export type Fence = {
  sequence: number;
  status: PurchaseStatus;
  productId: string;
  personId: string;
  checkoutId: string;
  sessionId: string | null;
  /**
   * The session must not be paid: another checkout replaced it, or the account or the product is
   * gone.
   */
  isSessionUnwanted: boolean;
  /** Until the processor's session ends by itself. */
  remainingMs: number;
  /** What the processor said before this number was taken: the reading that follows covers it. */
  eventIds: string[];
  /** Events of disputes, which have readings of their own. */
  disputeEventIds: string[];
  hasOpenDispute: boolean;
};

const DISPUTE_TYPES = toArrayParameter(DISPUTE_EVENTS);
// Events with readings of their own: a checkout's reading does not cover them.
const OTHER_TYPES = toArrayParameter([...RETURN_EVENTS, ...SUBSCRIPTION_EVENTS]);

const RECEIVED = `processor_event e where e.purchase_id = p.id and ${UNFOLLOWED}`;

/** Takes the next sequence number, before the processor is asked how its checkout stands. */
export async function takeFence(em: EntityManager, purchaseId: string): Promise<Fence> {
  const [row] = await rows<{
    sequence: string;
    status: PurchaseStatus;
    product_id: string;
    person_id: string;
    checkout_id: string;
    session_id: string | null;
    is_unwanted: boolean;
    remaining_ms: number;
    event_ids: string[] | null;
    dispute_event_ids: string[] | null;
    has_open_dispute: boolean;
  }>(
    em,
    `update purchase p set sequence = p.sequence + 1 from checkout c
     where p.id = ? and c.id = p.checkout_id
     returning p.sequence, p.status, p.checkout_id, p.product_id, p.person_id,
       -- A crash between the processor's answer and our commit: its events know the session.
       coalesce(c.session_id, (select e.body #>> '{data,object,id}' from processor_event e
         where e.purchase_id = p.id and e.type like 'checkout.session.%' limit 1)) as session_id,
       p.status = 'pending' and c.status in ('abandoned', 'replaced') as is_unwanted,
       (extract(epoch from c.expires_at - gatehouse_now()) * 1000)::float as remaining_ms,
       (select json_agg(e.id) from ${RECEIVED} and not e.type = any(?::text[])) as event_ids,
       (select json_agg(e.id) from ${RECEIVED} and e.type = any(?::text[])) as dispute_event_ids,
       ${HAS_OPEN_DISPUTE} as has_open_dispute`,
    [purchaseId, OTHER_TYPES, DISPUTE_TYPES],
  );
  if (!row) throw new Error(`there is no purchase ${purchaseId}`);
  return {
    sequence: Number(row.sequence),
    status: row.status,
    productId: row.product_id,
    personId: row.person_id,
    checkoutId: row.checkout_id,
    sessionId: row.session_id,
    isSessionUnwanted: row.is_unwanted,
    remainingMs: Math.max(0, Math.ceil(row.remaining_ms)),
    eventIds: row.event_ids ?? [],
    disputeEventIds: row.dispute_event_ids ?? [],
    hasOpenDispute: row.has_open_dispute,
  };
}
