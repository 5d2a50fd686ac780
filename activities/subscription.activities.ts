import { isRefusal } from '../domain/platform/refusal.ts';
import { parkEvents } from '../domain/selling/inbox/inbox.store.ts';
import { readFeeOfPurchase } from '../domain/selling/platform-fee.store.ts';
import { applySubscription } from '../domain/selling/subscriptions/apply-subscription.store.ts';
import {
  readSubscriptionState,
  type SubscriptionState,
} from '../domain/selling/subscriptions/subscription-state.store.ts';
import {
  takeSubscriptionTicket,
  type SubscriptionTicket,
} from '../domain/selling/subscriptions/subscription-ticket.store.ts';
import { wishFor, type Wish } from '../domain/selling/subscriptions/subscription-wish.store.ts';
import { ProcessorFault } from './clients/processor.ts';
import type { SubscriptionReading } from './clients/processor-subscriptions.ts';
import type { Services } from './index.ts';
import { isNotUnderstood } from './settle-disputes.ts';

type Asked = { subscriptionId: string };

export function createSubscriptionActivities({ database, processor, logger }: Services) {
  /** What is wanted of the processor goes first; its answer is what holds from then on. */
  async function carryOut(
    ticket: SubscriptionTicket & { processorId: string },
  ): Promise<SubscriptionReading> {
    const { processorId, subscriptionId: id, wish, wishNumber, isClosing } = ticket;
    if (isClosing) {
      return processor.cancelSubscription({ subscriptionId: processorId, key: `${id}-end` });
    }
    if (wish === null) return processor.readSubscription(processorId);
    const isCancel = wish === 'cancel';
    const key = `${id}-${wish}-${wishNumber}`;
    try {
      return await processor.cancelAtPeriodEnd({ subscriptionId: processorId, key, isCancel });
    } catch (fault) {
      if (!(fault instanceof ProcessorFault && fault.isPermanent)) throw fault;
      logger.error({ subscriptionId: id, wish, reason: fault.message }, 'a wish was refused');
      return processor.readSubscription(processorId);
    }
  }

  async function park(ticket: SubscriptionTicket, reason: string): Promise<void> {
    const { purchaseId, subscriptionId, eventIds } = ticket;
    logger.error({ alert: 'processor_state', subscriptionId, reason }, 'parked');
    const parked = { processor: processor.kind, eventIds, reason, purchaseId };
    await database.transaction((em) => parkEvents(em, parked));
  }

  async function settle(ticket: SubscriptionTicket): Promise<boolean> {
    const { processorId, purchaseId } = ticket;
    if (processorId === null) return true;
    try {
      const reading = await carryOut({ ...ticket, processorId });
      await database.transaction(async (em) => {
        const feeBasisPoints = await readFeeOfPurchase(em, purchaseId);
        const told = { ticket, reading, feeBasisPoints, processor: processor.kind };
        await applySubscription(em, told);
      });
      return true;
    } catch (fault) {
      if (!isNotUnderstood(fault)) throw fault;
      await park(ticket, fault.message);
      return false;
    }
  }

  return {
    /** Asks the processor how a subscription stands and applies its answer; safe to repeat. */
    async settleSubscription({ subscriptionId }: Asked): Promise<SubscriptionState> {
      const ticket = await database.transaction((em) => takeSubscriptionTicket(em, subscriptionId));
      const isUnderstood = await settle(ticket);
      const state = await readSubscriptionState(database.em(), subscriptionId);
      return isUnderstood ? state : { ...state, status: 'parked', isOpen: true };
    },

    /** The row decides, for operators as for its person. */
    async wishSubscription({ subscriptionId, wish }: Asked & { wish: Wish }) {
      const asked = await database.transaction((em) => wishFor(em, { subscriptionId, wish }));
      return isRefusal(asked) ? ('unchanged' as const) : ('asked' as const);
    },
  };
}
