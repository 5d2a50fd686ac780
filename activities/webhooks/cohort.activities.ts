import {
  listDueRetries,
  loadCohort,
  type CohortProgress,
} from '../../domain/webhooks/deliveries/cohort.repository.ts';
import { ENDPOINT_LIMIT } from '../../domain/webhooks/deliveries/attempts-at-once.ts';
import type { Services } from '../services.ts';
import { sendAndRecord } from './delivery.activities.ts';

/** The last group may begin so late: with its 10 seconds it ends before the activity's timeout. */
const MAX_DURATION_MS = 5_000;

/** `isEarly`: the wait until the next retry is `remainingMs`, whatever its due time. */
export type CohortReport = CohortProgress & { isEarly: boolean };

export function createCohortActivities(services: Services) {
  const { database, claims } = services;

  /** Returns the number of attempts that were made: as many as the throttle lets through. */
  async function attemptDue(cohort: string): Promise<{ due: number; sent: number }> {
    const due = await listDueRetries(database.em(), { cohort, limit: ENDPOINT_LIMIT });
    const claimed = await Promise.all(due.map((retry) => claims.retry(retry)));
    const deliveries = claimed.flatMap((each) => (each?.is === 'claimed' ? [each.delivery] : []));
    if (deliveries.length > 0) await sendAndRecord(services, deliveries);
    return { due: due.length, sent: deliveries.length };
  }

  async function readCohort({ cohort }: { cohort: string }): Promise<CohortReport | null> {
    const progress = await loadCohort(database.em(), cohort);
    return progress && { ...progress, isEarly: false };
  }

  return {
    readCohort,

    /**
     * Makes the attempts that are due, for some seconds; the rows say which. A repeat after a crash
     * makes the same steps.
     */
    async attemptCohort({ cohort }: { cohort: string }): Promise<CohortReport | null> {
      const until = performance.now() + MAX_DURATION_MS;
      let attempted;
      do attempted = await attemptDue(cohort);
      while (attempted.sent > 0 && performance.now() < until);
      const report = await readCohort({ cohort });
      const isBusy = attempted.due > 0 && attempted.sent === 0;
      if (!report || !isBusy) return report;
      // The throttle is full: the next attempt waits for the endpoint's turn.
      return {
        ...report,
        isEarly: true,
        remainingMs: claims.throttle.reserveDelayMs(report.endpointId),
      };
    },
  };
}
