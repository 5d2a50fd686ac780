import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { subscriptionActor } from '../../outbox/actors.ts';
import { sendToActor } from '../../outbox/outbox.repository.ts';
import type { PurchaseStatus } from '../purchases/purchase-status.ts';
import { closeSubscription } from './close-subscription.repository.ts';
import type { SubscriptionRow } from './subscription.entity.ts';

type Followed = {
  /** Under its lock. */
  subscription: SubscriptionRow;
  /** The status that the purchase has just come to, or null. */
  next: PurchaseStatus | null;
  /** What the processor calls it, once it has made it. */
  processorId: string | null;
};

/** What becomes of a subscription with its first payment, in the same transaction. */
export async function followFirstPayment(
  em: EntityManager,
  { subscription, next, processorId }: Followed,
): Promise<void> {
  const { id } = subscription;
  if (processorId !== null) {
    const attach = 'update subscription set processor_id = ? where id = ? and processor_id is null';
    await rows(em, attach, [processorId, id]);
  }
  if (next === 'cleared') return start(em, id);
  // Nothing was paid, or it goes back: the processor must not go on with it.
  if (next === 'failed' || next === 'canceled' || next === 'quarantined') {
    await closeSubscription(em, id);
  }
}

async function start(em: EntityManager, id: string): Promise<void> {
  await rows(
    em,
    `update subscription set status = 'active', began_at = gatehouse_now(),
       ask_again_at = gatehouse_now() + interval '1 hour'
     where id = ? and status = 'incomplete'`,
    [id],
  );
  await sendToActor(em, subscriptionActor(id), { kind: 'started' });
}
