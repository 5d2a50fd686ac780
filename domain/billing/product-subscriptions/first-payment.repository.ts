import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { subscriptionActor } from '../../outbox/actors.ts';
import { sendToActor } from '../../outbox/outbox.repository.ts';
import type { PurchaseStatus } from '../purchases/purchase-status.ts';
import { closeSubscription } from './close-subscription.repository.ts';
import type { SubscriptionRow } from './subscription.entity.ts';

type Followed = {
  /** Call it under the subscription's lock. */
  subscription: SubscriptionRow;
  /** The new status of the purchase, or null. */
  next: PurchaseStatus | null;
  /** The processor's id of the subscription, once it exists. */
  processorId: string | null;
};

/** Moves a subscription with its first payment, in the same transaction. */
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
  // Nothing was paid, or the money is refunded: the processor must not continue.
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
