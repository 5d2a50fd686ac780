import { continueAsNew, setHandler, workflowInfo } from '@temporalio/workflow';
import { LAST_STEP, waitForAttemptMs } from '../../domain/webhooks/deliveries/retry-schedule.ts';
import { statusQuery, type DeliveryInput, type Message } from '../contracts.ts';
import { updateVisibility, inWords } from '../visibility.ts';
import { receiveSignals, type PendingSignals } from '../signals.ts';
import { deliveries, records } from '../activities.ts';

/** The spec's retries. The row says what is due; the workflow waits for it, attempts, and reads on. */
export async function webhookDelivery(
  input: DeliveryInput,
  pending?: PendingSignals,
): Promise<string> {
  const signals = receiveSignals(pending);
  let status = 'reading';
  setHandler(statusQuery, () => status);
  const received = signals.drain();
  let delivery = (pending ? undefined : factsOf(received)) ?? (await records.readDelivery(input));
  for (;;) {
    status = delivery.status;
    const { run, step, lastStatusCode, lastError } = delivery;
    const waitMs = waitForAttemptMs(delivery, Date.now());
    const retry = step === 0 ? `first attempt of run ${run}` : `retry ${step} of ${LAST_STEP}`;
    const lastResponse = `last answer ${lastStatusCode ?? lastError ?? 'none yet'}`;
    updateVisibility({ ...delivery, attempt: step, details: `${status}: ${lastResponse}` });
    if (workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof webhookDelivery>(input, signals.pending());
    }
    const isRetrying = status === 'retrying';
    const summary = `${retry} in ${inWords(waitMs)}: ${lastResponse}`;
    const isWoken = isRetrying && (await signals.wait(waitMs, summary));
    if (isRetrying && !isWoken) {
      const options = { summary: `${retry}: ${lastResponse}` };
      const attempt = { ...input, run, step };
      delivery = await deliveries.attemptDelivery.executeWithOptions(options, [attempt]);
    } else if (signals.hasPending()) {
      signals.drain();
      delivery = await records.readDelivery(input);
    } else return status;
  }
}

/**
 * A single first signal carries the row's state, so the workflow skips the read. With more signals
 * the row may have changed.
 */
function factsOf([message, ...others]: Message[]): Message['delivery'] {
  return others.length === 0 ? message?.delivery : undefined;
}
