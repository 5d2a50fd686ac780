import { mailAlerts } from '../../domain/alerts/alert.repository.ts';
import { adoptEvents } from '../../domain/billing/processor-inbox/early-event.repository.ts';
import { withdrawOverAlerts } from '../../domain/billing/processor-inbox/withdraw-ended-alerts.query.ts';
import {
  alertOfUnmatchedEvents,
  askAgain,
  askMembershipsAgain,
  askSubscriptionsAgain,
} from '../../domain/billing/processor-inbox/reconcile.repository.ts';
import type { Services } from '../services.ts';

export function createReconcileActivities({ database }: Services) {
  return {
    /** Assigns early events. */
    async adoptEarlyEvents(): Promise<{ adopted: number }> {
      return { adopted: await database.transaction((em) => adoptEvents(em)) };
    },

    /** Wakes one batch of purchases, subscriptions and memberships to ask the processor. */
    async askUnresolved(): Promise<{ asked: number; hasMore: boolean }> {
      const purchases = await database.transaction(askAgain);
      const subscriptions = await database.transaction(askSubscriptionsAgain);
      const memberships = await database.transaction(askMembershipsAgain);
      const all = [purchases, subscriptions, memberships];
      const asked = all.reduce((sum, batch) => sum + batch.asked, 0);
      return { asked, hasMore: all.some(({ hasMore }) => hasMore) };
    },

    /** Withdraws ended alerts, raises alerts for unmatched events, mails unmailed alerts. */
    async notifyOperators(): Promise<void> {
      await database.transaction((em) => withdrawOverAlerts(em));
      await database.transaction(alertOfUnmatchedEvents);
      await database.transaction(mailAlerts);
    },
  };
}
