import { isRefusal } from '../../domain/shared/refusal.ts';
import { readFeeOfPurchase } from '../../domain/billing/platform-fee.repository.ts';
import { applySubscription } from '../../domain/billing/product-subscriptions/apply-subscription.repository.ts';
import { readSubscriptionProgress } from '../../domain/billing/product-subscriptions/subscription.repository.ts';
import {
  takeSubscriptionFencingToken,
  type SubscriptionFencingToken,
} from '../../domain/billing/product-subscriptions/subscription-view.repository.ts';
import {
  requestChange,
  type RequestedChange,
} from '../../domain/billing/recurring/change-request.repository.ts';
import { applyRequestedChange, movePayouts } from './apply-change-request.ts';
import type { Services } from '../services.ts';
import { orDeadLetter } from './unknown-outcome.ts';

type SubscriptionKey = { subscriptionId: string };

export function createSubscriptionActivities(services: Services) {
  const { database, processor } = services;

  /** True where the processor said what this code does not understand. */
  async function settle(fence: SubscriptionFencingToken & { processorId: string }) {
    const { purchaseId, subscriptionId, eventIds } = fence;
    const subject = { purchaseId, subscriptionId, eventIds };
    const settled = await orDeadLetter(services, subject, async () => {
      const reading = await applyRequestedChange(services, { ...fence, id: subscriptionId });
      const feeBasisPoints = await readFeeOfPurchase(database.em(), purchaseId);
      const read = { fence, reading, feeBasisPoints };
      await database.transaction((em) =>
        applySubscription(em, { ...read, processor: processor.kind }),
      );
      await movePayouts(services, read);
      return true;
    });
    return settled === null;
  }

  return {
    /** Reads the subscription at the processor and applies the reading; safe to repeat. */
    async settleSubscription({ subscriptionId }: SubscriptionKey) {
      const fence = await database.transaction((em) =>
        takeSubscriptionFencingToken(em, subscriptionId),
      );
      const { processorId } = fence;
      const isDeadLettered = processorId !== null && (await settle({ ...fence, processorId }));
      const state = await readSubscriptionProgress(database.em(), subscriptionId);
      return isDeadLettered ? { ...state, status: 'dead_lettered' as const, isOpen: true } : state;
    },

    /** The row decides, for operators as for its person. */
    async requestSubscriptionChange(
      update: SubscriptionKey & { change: RequestedChange; updateId: string },
    ) {
      const requested = await database.transaction((em) => requestChange(em, update));
      return isRefusal(requested) ? ('unchanged' as const) : ('requested' as const);
    },
  };
}
