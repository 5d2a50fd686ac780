import { setHandler } from '@temporalio/workflow';
import { LAST_STEP, waitForCohortMs } from '../../domain/webhooks/deliveries/retry-schedule.ts';
import { statusQuery, type CohortInput } from '../contracts.ts';
import { describeRetries, inWords, lastResponseOf, updateVisibility } from '../visibility.ts';
import { continueWhenLong, receiveSignals, type PendingSignals } from '../signals.ts';
import { deliveries, records } from '../activities.ts';
import { acceptRetryNow } from '../retries/retry-now.ts';
import { attemptWhenDue } from '../retries/attempt-when-due.ts';

type CohortReport = NonNullable<Awaited<ReturnType<typeof records.readCohort>>>;

/**
 * The retries of an endpoint's deliveries whose first attempts failed in the same minute: one
 * schedule for all. Each row says its own step and due time.
 */
export async function deliveryCohort(input: CohortInput, pending?: PendingSignals) {
  const signals = receiveSignals(pending);
  const now = { status: 'reading', isAttempting: false };
  setHandler(statusQuery, () => now.status);
  acceptRetryNow(
    () => now,
    (deliveryId) => records.retryCohortNow({ ...input, deliveryId }),
  );
  signals.drain();
  let cohort = await records.readCohort(input);
  for (;;) {
    const { open = 0, dead = 0, step = null } = cohort ?? {};
    const status = open > 0 ? 'retrying' : dead > 0 ? 'dead' : 'finished';
    now.status = status;
    const counts = `${open} open, ${dead} dead`;
    const retry = `retry ${step} of ${LAST_STEP}`;
    const details = cohort ? describe(cohort, { status, retry, counts }) : status;
    const shown = step === null ? {} : { attempt: step };
    updateVisibility({ dueAt: null, ...cohort, ...shown, status, details });
    await continueWhenLong(input, signals);
    const waitMs = cohort ? waitForCohortMs(cohort, Date.now()) : 0;
    const summary = `${retry} in ${inWords(waitMs)}: ${counts}`;
    const options = { summary: `${retry}: ${counts}` };
    const attempt = () => deliveries.attemptCohort.executeWithOptions(options, [input]);
    const next = await attemptWhenDue({
      signals,
      now,
      read: () => records.readCohort(input),
      retry: open > 0 ? { waitMs, summary, attempt } : null,
    });
    if (next === null) return status;
    cohort = next.report;
  }
}

type Words = { status: string; retry: string; counts: string };

function describe(cohort: CohortReport, { status, retry, counts }: Words): string {
  const about = `${counts}, to ${cohort.endpointHost}`;
  return describeRetries({ ...cohort, status, about, retry, lastResponse: lastResponseOf(cohort) });
}
