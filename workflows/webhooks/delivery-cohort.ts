import { continueAsNew, setHandler, workflowInfo } from '@temporalio/workflow';
import { LAST_STEP, waitForCohortMs } from '../../domain/webhooks/deliveries/retry-schedule.ts';
import { statusQuery, type CohortInput } from '../contracts.ts';
import { inWords, updateVisibility } from '../visibility.ts';
import { receiveSignals, type PendingSignals } from '../signals.ts';
import { deliveries, records } from '../activities.ts';

/**
 * The retries of an endpoint's deliveries whose first attempts failed in the same minute: one
 * schedule for all. Each row says its own step and due time.
 */
export async function deliveryCohort(
  input: CohortInput,
  pending?: PendingSignals,
): Promise<string> {
  const signals = receiveSignals(pending);
  let status = 'reading';
  setHandler(statusQuery, () => status);
  signals.drain();
  let cohort = await records.readCohort(input);
  for (;;) {
    const { open = 0, dead = 0, step = null } = cohort ?? {};
    status = open > 0 ? 'retrying' : dead > 0 ? 'dead' : 'finished';
    const details = `${open} open, ${dead} dead`;
    const attempt = step === null ? {} : { attempt: step };
    updateVisibility({
      dueAt: null,
      ...cohort,
      ...attempt,
      status,
      details: `${status}: ${details}`,
    });
    if (workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof deliveryCohort>(input, signals.pending());
    }
    const retry = `retry ${step} of ${LAST_STEP}`;
    const waitMs = cohort ? waitForCohortMs(cohort, Date.now()) : 0;
    const wait = () => signals.wait(waitMs, `${retry} in ${inWords(waitMs)}: ${details}`);
    if (open > 0 && !(await wait())) {
      const options = { summary: `${retry}: ${details}` };
      cohort = await deliveries.attemptCohort.executeWithOptions(options, [input]);
    } else if (signals.hasPending()) {
      signals.drain();
      cohort = await records.readCohort(input);
    } else return status;
  }
}
