import { isRefusal } from '../../domain/shared/refusal.ts';
import { readFeeOfPurchase } from '../../domain/selling/platform-fee.store.ts';
import { applySubscription } from '../../domain/selling/subscriptions/apply-subscription.store.ts';
import {
  readSubscriptionState,
  type SubscriptionState,
} from '../../domain/selling/subscriptions/subscription.store.ts';
import {
  takeSubscriptionTicket,
  type SubscriptionTicket,
} from '../../domain/selling/subscriptions/subscription-ticket.store.ts';
import { wishFor, type Wish } from '../../domain/selling/renewals/wish.store.ts';
import { carryOut, movePayouts } from './carry-out.ts';
import type { Services } from '../index.ts';
import { orPark } from './unclear.ts';

type Asked = { subscriptionId: string };

export function createSubscriptionActivities(services: Services) {
  const { database, processor } = services;

  /** True where the processor said what this code does not understand. */
  async function settle(ticket: SubscriptionTicket & { processorId: string }): Promise<boolean> {
    const { purchaseId, subscriptionId, eventIds } = ticket;
    const asked = { purchaseId, subscriptionId, eventIds };
    const settled = await orPark(services, asked, async () => {
      const reading = await carryOut(services, { ...ticket, id: subscriptionId });
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
    /** Asks the processor how a subscription stands and applies its answer; safe to repeat. */
    async settleSubscription({ subscriptionId }: Asked): Promise<SubscriptionState> {
      const ticket = await database.transaction((em) => takeSubscriptionTicket(em, subscriptionId));
      const { processorId } = ticket;
      const isParked = processorId !== null && (await settle({ ...ticket, processorId }));
      const state = await readSubscriptionState(database.em(), subscriptionId);
      return isParked ? { ...state, status: 'parked', isOpen: true } : state;
    },

    /** The row decides, for operators as for its person. */
    async wishSubscription(update: Asked & { wish: Wish; updateId: string }) {
      const asked = await database.transaction((em) => wishFor(em, update));
      return isRefusal(asked) ? ('unchanged' as const) : ('asked' as const);
    },
  };
}
