import { mailAlerts } from '../domain/alerts/alert.store.ts';
import { adoptEvents } from '../domain/selling/inbox/inbox.store.ts';
import { alertOfStrangers, askAgain } from '../domain/selling/inbox/reconcile.store.ts';
import type { Services } from './index.ts';

export function createReconcileActivities({ database }: Services) {
  return {
    /** Events that came before what they are about. */
    async adoptEarlyEvents(): Promise<{ adopted: number }> {
      return { adopted: await database.transaction((em) => adoptEvents(em)) };
    },

    /** One batch of purchases that the processor is asked about again. */
    async askUnresolved(): Promise<{ asked: number; hasMore: boolean }> {
      return database.transaction(askAgain);
    },

    /** Of events that belong to nobody, and of alerts that no mail has told of. */
    async tellOperators(): Promise<void> {
      await database.transaction(alertOfStrangers);
      await database.transaction(mailAlerts);
    },
  };
}
