import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '../../platform/database.ts';
import { Subscription, type SubscriptionRow } from './subscription.entity.ts';

const LOCK = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const;

/** Before the entitlement's row and the purchase's, by whoever moves money or access of either. */
export async function lockSubscriptionOf(
  em: EntityManager,
  purchaseId: string,
): Promise<SubscriptionRow | null> {
  return em.findOne(Subscription, { purchaseId }, LOCK);
}

export async function lockSubscription(em: EntityManager, id: string): Promise<SubscriptionRow> {
  return em.findOneOrFail(Subscription, { id }, LOCK);
}
