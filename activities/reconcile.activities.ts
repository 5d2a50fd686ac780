import { mailAlerts } from '../domain/alerts/alert.store.ts';
import { adoptEvents } from '../domain/selling/inbox/early-event.store.ts';
import {
  alertOfStrangers,
  askAgain,
  askSubscriptionsAgain,
} from '../domain/selling/inbox/reconcile.store.ts';
import type { Services } from './index.ts';

export function createReconcileActivities({ database }: Services) {
  return {
    /** Events that came before what they are about. */
    async adoptEarlyEvents(): Promise<{ adopted: number }> {
      return { adopted: await database.transaction((em) => adoptEvents(em)) };
    },

    /** One batch of purchases, and one of subscriptions, that the processor is asked about again. */
    async askUnresolved(): Promise<{ asked: number; hasMore: boolean }> {
      const purchases = await database.transaction(askAgain);
      const subscriptions = await database.transaction(askSubscriptionsAgain);
      const asked = purchases.asked + subscriptions.asked;
      return { asked, hasMore: purchases.hasMore || subscriptions.hasMore };
    },

    /** Of events that belong to nobody, and of alerts that no mail has told of. */
    async tellOperators(): Promise<void> {
      await database.transaction(alertOfStrangers);
      await database.transaction(mailAlerts);
    },
  };
}
