import { setHandler } from '@temporalio/workflow';
import { LAST_STEP } from '../../domain/webhooks/deliveries/retry-schedule.ts';
import { waitForAttemptMs } from '../../domain/shared/wait-until-due.ts';
import {
  statusQuery,
  type DeliveryInput,
  type DeliveryReport,
  type Message,
} from '../contracts.ts';
import { describeRetries, inWords, lastResponseOf, updateVisibility } from '../visibility.ts';
import { continueWhenLong, receiveSignals, type PendingSignals } from '../signals.ts';
import { deliveries, records } from '../activities.ts';
import { acceptRetryNow } from '../retries/retry-now.ts';
import { attemptWhenDue } from '../retries/attempt-when-due.ts';

/** The spec's retries. The row says what is due; the workflow waits for it, attempts, and reads on. */
export async function webhookDelivery(input: DeliveryInput, pending?: PendingSignals) {
  const signals = receiveSignals(pending);
  const now = { status: 'reading', isAttempting: false, run: 1, step: 0 };
  setHandler(statusQuery, () => now.status);
  acceptRetryNow(
    () => now,
    async (deliveryId) =>
      deliveryId === null || deliveryId === input.deliveryId
        ? records.retryDeliveryNow({ ...input, run: now.run, step: now.step })
        : 0,
  );
  const received = signals.drain();
  let delivery = (pending ? undefined : factsOf(received)) ?? (await records.readDelivery(input));
  for (;;) {
    const { status, run, step } = delivery;
    Object.assign(now, { status, run, step });
    const waitMs = waitForAttemptMs(delivery, Date.now());
    const { retry, lastResponse, details } = describe(delivery);
    updateVisibility({ ...delivery, attempt: step, details });
    await continueWhenLong(input, signals);
    const summary = `${retry} in ${inWords(waitMs)}: ${lastResponse}`;
    const options = { summary: `${retry}: ${lastResponse}` };
    const attempt = () =>
      deliveries.attemptDelivery.executeWithOptions(options, [{ ...input, run, step }]);
    const next = await attemptWhenDue<DeliveryReport>({
      signals,
      now,
      read: () => records.readDelivery(input),
      retry: status === 'retrying' ? { waitMs, summary, attempt } : null,
    });
    if (next === null) return status;
    delivery = next.report;
  }
}

function describe(delivery: DeliveryReport) {
  const { run, step, eventName, endpointHost } = delivery;
  const retry = step === 0 ? `first attempt of run ${run}` : `retry ${step} of ${LAST_STEP}`;
  const lastResponse = lastResponseOf(delivery);
  const about = `${eventName} to ${endpointHost}`;
  return {
    retry,
    lastResponse,
    details: describeRetries({ ...delivery, about, retry, lastResponse }),
  };
}

/**
 * A single first signal carries the row's state, so the workflow skips the read. With more signals
 * the row may have changed. What an operator sends holds no state.
 */
function factsOf([message, ...others]: Message[]): DeliveryReport | undefined {
  const report = others.length === 0 ? message?.delivery : undefined;
  return typeof report?.status === 'string' ? report : undefined;
}
