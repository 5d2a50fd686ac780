import { deliveryActor } from '../../outbox/actors.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { sendToActor } from '../../outbox/outbox.repository.ts';
import type { DeliveryStatus } from '../dispatch/record-attempts.query.ts';

/**
 * Queues a dead delivery again: a new group with the same bytes, one attempt at once, then the full
 * schedule. The row decides, so that two clicks make one group; null when there is nothing to
 * retry.
 */
export async function retryDelivery(
  em: EntityManager,
  { deliveryId, productId }: { deliveryId: string; productId: string },
): Promise<'queued' | 'already_queued' | null> {
  const [queued] = await rows<{ run: number; endpointId: string }>(
    em,
    `update delivery_state d set status = 'retrying', run = d.run + 1, step = 0,
       due_at = gatehouse_now(), finished_at = null
     from webhook_endpoint e
     where d.delivery_id = ? and d.product_id = ? and d.status = 'dead'
       and e.id = d.endpoint_id and e.deleted_at is null
     returning d.run, d.endpoint_id as "endpointId"`,
    [deliveryId, productId],
  );
  if (queued) {
    const actor = { ...deliveryActor(deliveryId), share: queued.endpointId };
    await sendToActor(em, actor, { kind: 'retry', run: queued.run });
    return 'queued';
  }
  const [row] = await rows<{ status: DeliveryStatus; run: number }>(
    em,
    'select status, run from delivery_now where id = ? and product_id = ?',
    [deliveryId, productId],
  );
  return row && isUnderWay(row) ? 'already_queued' : null;
}

/** Also when the group of the click before is already through. */
function isUnderWay({ status, run }: { status: DeliveryStatus; run: number }): boolean {
  if (status === 'pending' || status === 'retrying') return true;
  return status === 'succeeded' && run > 1;
}
