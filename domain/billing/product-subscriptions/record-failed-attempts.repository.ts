import type { EntityManager } from '../../../platform/database/database.ts';
import { recordEvent } from '../../webhooks/event.repository.ts';
import { decideFailedAttempts } from '../recurring/failed-attempts.ts';
import type { ChargeReading } from '../recurring/processor-snapshot.ts';
import type { SubscriptionState } from '../recurring/reported-state.ts';
import { Subscription, type SubscriptionRow } from './subscription.entity.ts';

type Input = {
  /** The row before the reading, locked. */
  subscription: SubscriptionRow;
  charges: ChargeReading[];
  /** The state after the reading. */
  state: SubscriptionState;
};

/** Records an event for each failed attempt of a renewal that has none. */
export async function recordFailedAttempts(
  em: EntityManager,
  { subscription, ...facts }: Input,
): Promise<void> {
  const failed = decideFailedAttempts(subscription, facts);
  if (failed === null) return;
  const { id, purchaseId, productId, personId } = subscription;
  await em.nativeUpdate(Subscription, { id }, failed.counted);
  for (let event = 1; event <= failed.newAttempts; event += 1) {
    await recordEvent(em, {
      productId,
      name: 'subscription.payment_failed',
      data: {
        purchase_id: purchaseId,
        user_id: personId,
        product_id: productId,
        amount_minor: failed.amountMinor,
        currency: failed.currency,
        next_attempt_at: failed.nextAttemptAt?.toISOString() ?? null,
        access_until: failed.accessUntil.toISOString(),
      },
    });
  }
}
