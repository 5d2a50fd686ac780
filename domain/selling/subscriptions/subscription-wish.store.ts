import { subscriptionActor } from '../../platform/outbox/actors.ts';
import type { EntityManager } from '../../platform/database.ts';
import { takeWish, type Wish } from '../renewals/wish.store.ts';

export type { Wish } from '../renewals/wish.store.ts';

export async function wishFor(
  em: EntityManager,
  { subscriptionId: id, wish }: { subscriptionId: string; wish: Wish },
) {
  return takeWish(em, { table: 'subscription', id, actor: subscriptionActor(id), wish });
}
