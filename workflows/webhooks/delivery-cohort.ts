import {
  allHandlersFinished,
  condition,
  continueAsNew,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { LAST_STEP, waitForCohortMs } from '../../domain/webhooks/deliveries/retry-schedule.ts';
import { statusQuery, type CohortInput } from '../contracts.ts';
import { describeRetries, inWords, lastResponseOf, updateVisibility } from '../visibility.ts';
import { receiveSignals, type PendingSignals } from '../signals.ts';
import { deliveries, records } from '../activities.ts';
import { acceptRetryNow } from './retry-now.ts';

type CohortReport = NonNullable<Awaited<ReturnType<typeof records.readCohort>>>;

/**
 * The retries of an endpoint's deliveries whose first attempts failed in the same minute: one
 * schedule for all. Each row says its own step and due time.
 */
export async function deliveryCohort(
  input: CohortInput,
  pending?: PendingSignals,
): Promise<string> {
  const signals = receiveSignals(pending);
  const now = { status: 'reading', isAttempting: false };
  setHandler(statusQuery, () => now.status);
  acceptRetryNow(
    () => now,
    (deliveryId) => records.hurryCohort({ ...input, deliveryId }),
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
    const attempt = step === null ? {} : { attempt: step };
    updateVisibility({ dueAt: null, ...cohort, ...attempt, status, details });
    if (workflowInfo().continueAsNewSuggested) {
      await condition(allHandlersFinished);
      await continueAsNew<typeof deliveryCohort>(input, signals.pending());
    }
    const waitMs = cohort ? waitForCohortMs(cohort, Date.now()) : 0;
    const wait = () => signals.wait(waitMs, `${retry} in ${inWords(waitMs)}: ${counts}`);
    if (open > 0 && !(await wait())) {
      const options = { summary: `${retry}: ${counts}` };
      now.isAttempting = true;
      cohort = await deliveries.attemptCohort.executeWithOptions(options, [input]);
      now.isAttempting = false;
    } else if (signals.hasPending()) {
      signals.drain();
      cohort = await records.readCohort(input);
    } else {
      await condition(allHandlersFinished);
      if (!signals.hasPending()) return status;
    }
  }
}

type Words = { status: string; retry: string; counts: string };

function describe(cohort: CohortReport, { status, retry, counts }: Words): string {
  const about = `${counts}, to ${cohort.endpointHost}`;
  return describeRetries({ ...cohort, status, about, retry, lastResponse: lastResponseOf(cohort) });
}
