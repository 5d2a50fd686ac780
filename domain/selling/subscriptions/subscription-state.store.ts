import { now, type EntityManager } from '../../platform/database.ts';
import { decideDue, waitForDueMs } from './subscription-due.ts';
import { Subscription } from './subscription.entity.ts';
import type { SubscriptionStatus } from './subscription-status.ts';

/** What its actor and those who look at it have to know. */
export type SubscriptionState = {
  status: SubscriptionStatus | 'parked';
  /** Something is ahead, or the processor has yet to confirm the end. */
  isOpen: boolean;
  waitMs: number;
  waitsFor: string;
  productId: string;
  personId: string;
};

export async function readSubscriptionState(
  em: EntityManager,
  id: string,
): Promise<SubscriptionState> {
  const found = await em.findOneOrFail(Subscription, { id }, { disableIdentityMap: true });
  const { status, isClosing, productId, personId } = found;
  const due = decideDue(found);
  const waitMs = Math.ceil(waitForDueMs(due, await now(em)));
  const isRunning = status !== 'ended' && status !== 'incomplete';
  const waitsFor = isClosing ? 'the end at the processor' : (due?.what ?? 'its first period');
  return { status, isOpen: isRunning || isClosing, waitMs, waitsFor, productId, personId };
}
