import { isRefusal } from '../../domain/shared/refusal.ts';
import { readFeeOfPurchase } from '../../domain/billing/platform-fee.repository.ts';
import { applySubscription } from '../../domain/billing/product-subscriptions/apply-subscription.repository.ts';
import {
  readSubscriptionState,
  type SubscriptionState,
} from '../../domain/billing/product-subscriptions/subscription.repository.ts';
import {
  takeSubscriptionTicket,
  type SubscriptionTicket,
} from '../../domain/billing/product-subscriptions/subscription-ticket.repository.ts';
import {
  requestChange,
  type RequestedChange,
} from '../../domain/billing/subscriptions/change-request.repository.ts';
import { applyRequestedChange, movePayouts } from './apply-change-request.ts';
import type { Services } from '../index.ts';
import { orDeadLetter } from './unknown-outcome.ts';

type Asked = { subscriptionId: string };

export function createSubscriptionActivities(services: Services) {
  const { database, processor } = services;

  /** True when the processor's response was not understood. */
  async function settle(ticket: SubscriptionTicket & { processorId: string }): Promise<boolean> {
    const { purchaseId, subscriptionId, eventIds } = ticket;
    const asked = { purchaseId, subscriptionId, eventIds };
    const settled = await orDeadLetter(services, asked, async () => {
      const reading = await applyRequestedChange(services, { ...ticket, id: subscriptionId });
      const feeBasisPoints = await database.transaction(async (em) => {
        const fee = await readFeeOfPurchase(em, purchaseId);
        const told = { ticket, reading, feeBasisPoints: fee, processor: processor.kind };
        await applySubscription(em, told);
        return fee;
      });
      await movePayouts(services, { ticket, reading, feeBasisPoints });
      return true;
    });
    return settled === null;
  }

  return {
    /** Reads the subscription at the processor and applies the reading; safe to repeat. */
    async settleSubscription({ subscriptionId }: Asked): Promise<SubscriptionState> {
      const ticket = await database.transaction((em) => takeSubscriptionTicket(em, subscriptionId));
      const { processorId } = ticket;
      const isDeadLettered = processorId !== null && (await settle({ ...ticket, processorId }));
      const state = await readSubscriptionState(database.em(), subscriptionId);
      return isDeadLettered ? { ...state, status: 'dead_lettered', isOpen: true } : state;
    },

    /** The row decides, for operators as for its person. */
    async wishSubscription(update: Asked & { change: RequestedChange; updateId: string }) {
      const asked = await database.transaction((em) => requestChange(em, update));
      return isRefusal(asked) ? ('unchanged' as const) : ('asked' as const);
    },
  };
}
